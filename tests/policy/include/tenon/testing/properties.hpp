// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What holds for every sort policy: keys depend on the declared columns alone.
#pragma once

#include <gtest/gtest.h>

#include <random>

#include "tenon/testing/builtin.hpp"

namespace tenon::testing {

// Calls with equal columns give equal keys, in whatever order and company the items come.
inline void expect_keys_of_items_alone(const policy_table &table, const bound_policy &policy,
                                       const bound_policy &another_instance) {
  const auto whole = table.keys(policy);
  ASSERT_EQ(whole.status, TENON_OK);
  std::mt19937 random(20240607);
  for (int round = 0; round < 8; ++round) {
    auto items = table.all();
    std::shuffle(items.begin(), items.end(), random);
    items.resize(1 + random() % items.size());
    const auto part = table.keys(round % 2 == 0 ? policy : another_instance, items);
    ASSERT_EQ(part.status, TENON_OK);
    for (size_t i = 0; i < items.size(); ++i) EXPECT_EQ(part.keys[i], whole.keys[items[i]]) << "item " << items[i];
  }
}

// As above for a policy that reads siblings: every batch holds all items, in some order.
inline void expect_order_of_batch_without_effect(const policy_table &table, const bound_policy &policy,
                                                 const bound_policy &another_instance) {
  const auto whole = table.keys(policy);
  ASSERT_EQ(whole.status, TENON_OK);
  std::mt19937 random(20240608);
  for (int round = 0; round < 8; ++round) {
    auto items = table.all();
    std::shuffle(items.begin(), items.end(), random);
    const auto again = table.keys(round % 2 == 0 ? policy : another_instance, items);
    ASSERT_EQ(again.status, TENON_OK);
    for (size_t i = 0; i < items.size(); ++i) {
      EXPECT_EQ(again.keys[i], whole.keys[items[i]]) << "item " << items[i];
      EXPECT_EQ(again.not_before_ms[i], whole.not_before_ms[items[i]]) << "item " << items[i];
      EXPECT_EQ(again.valid_until_ms[i], whole.valid_until_ms[items[i]]) << "item " << items[i];
    }
  }
}

}  // namespace tenon::testing
