// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/testing/node_scores.hpp"

namespace tenon {
namespace {

using testing::bound;
using testing::node_key;
using testing::policy_table;

std::unique_ptr<bound_policy> binpacking(std::string_view configuration = "{}") {
  return bound(module_kind::node_sort, "binpacking", configuration);
}

TEST(NodeBinpacking, TableOfTheFieldSameScores) {
  const int rows = testing::expect_scores_of_the_field("binpacking", {"binpacking"});
  EXPECT_GT(rows, 10);
}

TEST(NodeBinpacking, UnevenUseMostUsedFirst) {
  policy_table nodes({"vcore", "memory"});
  const policy_table::amounts ten{{"vcore", 10}, {"memory", 10}};
  nodes.resources("node.total", {ten, ten, ten});
  nodes.resources("node.free", {{{"vcore", 5}, {"memory", 5}}, ten, {{"vcore", 1}, {"memory", 0}}});
  EXPECT_EQ(nodes.order(*binpacking()), (std::vector<uint32_t>{2, 0, 1}));
}

TEST(NodeBinpacking, WeightedTypesScoreIsOneMinusTheirMean) {
  const auto policy = binpacking(R"({"resourceweights":{"vcore":3,"memory":1}})");
  EXPECT_EQ(node_key(*policy, {{"vcore", 4}, {"memory", 8}}, {{"vcore", 1}, {"memory", 6}}), sdk::ascending(0.625));
}

TEST(NodeBinpacking, NodeWithoutWeighedTypeLastOfAll) {
  EXPECT_EQ(node_key(*binpacking(), {{"pods", 10}}, {{"pods", 9}}), sdk::ascending(1.0));
}

TEST(NodeBinpacking, AnyOrderAndAnySubsetSameKeys) {
  testing::expect_keys_of_items_alone(testing::many_nodes(), *binpacking(), *binpacking());
}

}  // namespace
}  // namespace tenon
