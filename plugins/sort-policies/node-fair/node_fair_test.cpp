// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/testing/node_scores.hpp"

namespace tenon {
namespace {

using testing::bound;
using testing::node_key;
using testing::policy_table;

std::unique_ptr<bound_policy> fair(std::string_view configuration = "{}") {
  return bound(module_kind::node_sort, "fair", configuration);
}

TEST(NodeFair, TableOfTheFieldSameScores) {
  const int rows = testing::expect_scores_of_the_field("fair", {"fair", "(unset=fair)"});
  EXPECT_GT(rows, 20);
}

TEST(NodeFair, UnevenUseLeastUsedFirst) {
  policy_table nodes({"vcore", "memory"});
  const policy_table::amounts ten{{"vcore", 10}, {"memory", 10}};
  nodes.resources("node.total", {ten, ten, ten});
  nodes.resources("node.free", {{{"vcore", 5}, {"memory", 5}}, ten, {{"vcore", 1}, {"memory", 0}}});
  EXPECT_EQ(nodes.order(*fair()), (std::vector<uint32_t>{1, 0, 2}));
}

TEST(NodeFair, TwoTypesScoreIsTheMeanOfTheirShares) {
  EXPECT_EQ(node_key(*fair(), {{"vcore", 4}, {"memory", 8}}, {{"vcore", 1}, {"memory", 6}}), sdk::ascending(0.5));
}

TEST(NodeFair, WeightZeroTypeIsIgnored) {
  const auto policy = fair(R"({"resourceweights":{"vcore":1,"memory":0}})");
  EXPECT_EQ(node_key(*policy, {{"vcore", 4}, {"memory", 8}}, {{"vcore", 1}, {"memory", 8}}), sdk::ascending(0.25));
}

TEST(NodeFair, GivenWeightsReplaceTheDefaultWhole) {
  const auto policy = fair(R"({"resourceweights":{"gpu":3}})");
  EXPECT_EQ(node_key(*policy, {{"vcore", 4}, {"gpu", 2}}, {{"vcore", 4}, {"gpu", 1}}), sdk::ascending(0.5));
}

TEST(NodeFair, EmptyWeightsAreTheDefault) {
  const auto policy = fair(R"({"resourceweights":{}})");
  EXPECT_EQ(node_key(*policy, {{"vcore", 4}, {"memory", 8}}, {{"vcore", 1}, {"memory", 6}}), sdk::ascending(0.5));
}

TEST(NodeFair, NodeWithoutWeighedTypeScoreZero) {
  EXPECT_EQ(node_key(*fair(), {{"pods", 10}}, {{"pods", 9}}), sdk::ascending(0.0));
}

TEST(NodeFair, MoreUsedThanThereIsBehindFullNodes) {
  EXPECT_GT(node_key(*fair(), {{"vcore", 4}}, {{"vcore", 6}}), node_key(*fair(), {{"vcore", 4}}, {{"vcore", 4}}));
}

TEST(NodeFair, TypeThatAppearsLaterIsWeighed) {
  const auto policy = fair(R"({"resourceweights":{"gpu":1}})");
  policy_table before({"vcore"});
  before.resources("node.total", {{{"vcore", 4}}}).resources("node.free", {{{"vcore", 2}}});
  EXPECT_EQ(before.keys(*policy).keys[0][0], sdk::ascending(0.0));
  policy_table after({"vcore", "gpu"});
  after.resources("node.total", {{{"vcore", 4}, {"gpu", 4}}}).resources("node.free", {{{"vcore", 2}, {"gpu", 1}}});
  EXPECT_EQ(after.keys(*policy).keys[0][0], sdk::ascending(0.75));
}

TEST(NodeFair, WeightOfAnotherKindRefusedWithTheKey) {
  try {
    fair(R"({"resourceweights":{"vcore":"two"}})");
    FAIL() << "accepted";
  } catch (const std::runtime_error &e) {
    EXPECT_NE(std::string(e.what()).find("resourceweights"), std::string::npos) << e.what();
  }
}

TEST(NodeFair, AnyOrderAndAnySubsetSameKeys) {
  testing::expect_keys_of_items_alone(testing::many_nodes(), *fair(), *fair());
}

}  // namespace
}  // namespace tenon
