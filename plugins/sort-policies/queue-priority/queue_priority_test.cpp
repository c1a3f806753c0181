// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/testing/properties.hpp"

namespace tenon {
namespace {

using order = std::vector<uint32_t>;

std::unique_ptr<bound_policy> priority() { return testing::bound(module_kind::queue_sort, "priority"); }

TEST(QueuePriority, DifferentPrioritiesHighestFirst) {
  testing::policy_table queues({});
  queues.numbers("queue.priority", {3, INT32_MIN, 100, -1, INT32_MAX});
  EXPECT_EQ(queues.order(*priority()), (order{4, 2, 0, 3, 1}));
}

TEST(QueuePriority, EqualPrioritiesEqualKeys) {
  testing::policy_table queues({});
  queues.numbers("queue.priority", {4, 4});
  const auto keys = queues.keys(*priority()).keys;
  EXPECT_EQ(keys[0], keys[1]);
}

TEST(QueuePriority, AnyOrderAndAnySubsetSameKeys) {
  testing::policy_table queues({});
  queues.numbers("queue.priority", {5, 1, 4, 4, -2, 0, 9});
  testing::expect_keys_of_items_alone(queues, *priority(), *priority());
}

}  // namespace
}  // namespace tenon
