// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tenon/sdk/config.hpp"
#include "tenon/sdk/keys.hpp"
#include "tenon/testing/builtin.hpp"
#include "tenon/testing/csv.hpp"

namespace tenon {
namespace {

using testing::bound;
using testing::policy_table;

const std::vector<std::string> types{"memory", "vcore", "gpu", "pods"};

policy_table::amounts amounts_of(const std::string &json) {
  policy_table::amounts out;
  const sdk::config wrapped("{\"is\":" + json + "}");
  for (const auto &[type, amount] : wrapped.numbers("is", {})) out[type] = static_cast<int64_t>(amount);
  return out;
}

policy_table::amounts minus(policy_table::amounts total, const policy_table::amounts &used) {
  for (const auto &[type, amount] : used) total[type] -= amount;
  return total;
}

// One node's key under `policy`.
uint64_t key_of(const bound_policy &policy, const policy_table::amounts &total, const policy_table::amounts &used) {
  policy_table node(types);
  node.resources("node.total", {total}).resources("node.free", {minus(total, used)});
  const auto result = node.keys(policy);
  EXPECT_EQ(result.status, TENON_OK);
  return result.keys.at(0).at(0);
}

TEST(NodeScore, TableOfTheField_ScoresAreThoseOfTheTable) {
  const auto rows = testing::read_csv(TENON_SHARED_DIR "/tables/node_score.csv");
  if (rows.empty()) GTEST_SKIP() << "no table of facts at " TENON_SHARED_DIR "/tables/node_score.csv";
  ASSERT_GT(rows.size(), 40U);
  for (size_t i = 1; i < rows.size(); ++i) {
    SCOPED_TRACE("row " + std::to_string(i + 1));
    const auto &r = rows[i];
    ASSERT_EQ(r.size(), 5U);
    const std::string policy_name = r[0] == "(unset=fair)" ? "fair" : r[0];
    const std::string weights = r[1].starts_with("(default") ? "{}" : "{\"resourceweights\":" + r[1] + "}";
    const auto policy = bound(policy_kind::node_sort, policy_name, weights);
    const double expected = std::stod(r[4]);
    const uint64_t key = key_of(*policy, amounts_of(r[2]), amounts_of(r[3]));
    EXPECT_GE(key, sdk::ascending(expected - 1e-9));
    EXPECT_LE(key, sdk::ascending(expected + 1e-9));
  }
}

TEST(NodeScore, Fair_LeastUsedFirst_BinpackingMostUsedFirst) {
  policy_table nodes(types);
  nodes.resources("node.total",
                  {{{"vcore", 10}, {"memory", 10}}, {{"vcore", 10}, {"memory", 10}}, {{"vcore", 10}, {"memory", 10}}});
  nodes.resources("node.free",
                  {{{"vcore", 5}, {"memory", 5}}, {{"vcore", 10}, {"memory", 10}}, {{"vcore", 1}, {"memory", 0}}});
  EXPECT_EQ(nodes.order(*bound(policy_kind::node_sort, "fair")), (std::vector<uint32_t>{1, 0, 2}));
  EXPECT_EQ(nodes.order(*bound(policy_kind::node_sort, "binpacking")), (std::vector<uint32_t>{2, 0, 1}));
}

TEST(NodeScore, WeightZero_TypeIsIgnored) {
  const auto policy = bound(policy_kind::node_sort, "fair", R"({"resourceweights":{"vcore":1,"memory":0}})");
  EXPECT_EQ(key_of(*policy, {{"vcore", 4}, {"memory", 8}}, {{"vcore", 1}, {"memory", 8}}), sdk::ascending(0.25));
}

TEST(NodeScore, EmptyWeights_AreTheDefault) {
  const auto policy = bound(policy_kind::node_sort, "fair", R"({"resourceweights":{}})");
  EXPECT_EQ(key_of(*policy, {{"vcore", 4}, {"memory", 8}}, {{"vcore", 1}, {"memory", 6}}), sdk::ascending(0.5));
}

TEST(NodeScore, TypeThatAppearsLater_IsWeighed) {
  const auto policy = bound(policy_kind::node_sort, "fair", R"({"resourceweights":{"gpu":1}})");
  policy_table before({"vcore"});
  before.resources("node.total", {{{"vcore", 4}}}).resources("node.free", {{{"vcore", 2}}});
  EXPECT_EQ(before.keys(*policy).keys[0][0], sdk::ascending(0.0));
  policy_table after({"vcore", "gpu"});
  after.resources("node.total", {{{"vcore", 4}, {"gpu", 4}}}).resources("node.free", {{{"vcore", 2}, {"gpu", 1}}});
  EXPECT_EQ(after.keys(*policy).keys[0][0], sdk::ascending(0.75));
}

TEST(NodeScore, WeightsOfAnotherKind_AreRefusedWithTheKey) {
  try {
    bound(policy_kind::node_sort, "fair", R"({"resourceweights":{"vcore":"two"}})");
    FAIL() << "accepted";
  } catch (const std::runtime_error &e) {
    EXPECT_NE(std::string(e.what()).find("resourceweights"), std::string::npos) << e.what();
  }
}

TEST(NodeScore, AnyOrderAndAnySubset_SameKeys) {
  std::mt19937 random(7);
  std::vector<policy_table::amounts> total, free;
  for (int i = 0; i < 200; ++i) {
    total.push_back({{"vcore", random() % 64}, {"memory", random() % 1024}});
    free.push_back({{"vcore", random() % 64}, {"memory", random() % 1024}});
  }
  policy_table nodes(types);
  nodes.resources("node.total", total).resources("node.free", free);
  for (const char *name : {"fair", "binpacking"}) {
    const auto policy = bound(policy_kind::node_sort, name), other = bound(policy_kind::node_sort, name);
    const auto whole = nodes.keys(*policy).keys;
    auto items = nodes.all();
    std::shuffle(items.begin(), items.end(), random);
    items.resize(120);
    const auto part = nodes.keys(*other, items).keys;
    for (size_t i = 0; i < items.size(); ++i) EXPECT_EQ(part[i], whole[items[i]]);
  }
}

}  // namespace
}  // namespace tenon
