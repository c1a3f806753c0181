// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Checks that the node orders by weighted use share.
#pragma once

#include <gtest/gtest.h>

#include <set>

#include "tenon/sdk/keys.hpp"
#include "tenon/testing/fact_rows.hpp"
#include "tenon/testing/properties.hpp"

namespace tenon::testing {

// One node's key under `policy`: what is not used is free.
inline uint64_t node_key(const bound_policy &policy, const policy_table::amounts &total,
                         const policy_table::amounts &used) {
  policy_table::amounts free = total;
  for (const auto &[type, amount] : used) free[type] -= amount;
  policy_table node({"memory", "vcore", "gpu", "pods"});
  node.resources("node.total", {total}).resources("node.free", {free});
  const auto result = node.keys(policy);
  EXPECT_EQ(result.status, TENON_OK);
  return result.keys.at(0).at(0);
}

// Holds the policy against the rows of the table of facts that `names` name; returns how many there were.
inline int expect_scores_of_the_field(const std::string &policy_name, const std::set<std::string> &names) {
  int checked = 0;
  for (const auto &row : read_csv(TENON_TEST_DATA_DIR "/tables/node_score.csv")) {
    if (!names.contains(row[0])) continue;
    const std::string weights = row[1].starts_with("(default") ? "{}" : "{\"resourceweights\":" + row[1] + "}";
    const auto policy = bound(module_kind::node_sort, policy_name, weights);
    const auto arguments = resource_arguments("[" + row[2] + "," + row[3] + "]");
    const double expected = std::stod(row[4]);
    const uint64_t key = node_key(*policy, arguments.at(0), arguments.at(1));
    EXPECT_GE(key, sdk::ascending(expected - 1e-9)) << row[1] << " " << row[2] << " " << row[3];
    EXPECT_LE(key, sdk::ascending(expected + 1e-9)) << row[1] << " " << row[2] << " " << row[3];
    ++checked;
  }
  return checked;
}

// 200 nodes of many sizes and uses.
inline policy_table many_nodes() {
  std::mt19937 random(7);
  std::vector<policy_table::amounts> total, free;
  for (int i = 0; i < 200; ++i) {
    const auto vcore = static_cast<int64_t>(random() % 64), memory = static_cast<int64_t>(random() % 1024);
    total.push_back({{"vcore", vcore}, {"memory", memory}});
    free.push_back({{"vcore", vcore / 2 + i % 3}, {"memory", random() % 1024}});
  }
  policy_table nodes({"memory", "vcore"});
  nodes.resources("node.total", total).resources("node.free", free);
  return nodes;
}

}  // namespace tenon::testing
