// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/testing/properties.hpp"

namespace tenon {
namespace {

using order = std::vector<uint32_t>;

testing::policy_table apps(const std::vector<int64_t> &submitted_ms, const std::vector<int64_t> &priority,
                           bool priority_sort) {
  testing::policy_table out({"vcore"});
  out.numbers("app.submitted_ms", submitted_ms).numbers("app.priority", priority);
  out.numbers("parent.priority_sort", {priority_sort ? 1 : 0});
  return out;
}

std::unique_ptr<bound_policy> fifo() { return testing::bound(module_kind::app_sort, "fifo"); }

TEST(AppFifo, WithoutPriorityOldestFirst) {
  EXPECT_EQ(apps({300, 100, 200}, {9, 0, 5}, false).order(*fifo()), (order{1, 2, 0}));
}

TEST(AppFifo, WithoutPriorityPriorityBreaksEqualAges) {
  EXPECT_EQ(apps({100, 100, 50}, {1, 2, 0}, false).order(*fifo()), (order{2, 1, 0}));
}

TEST(AppFifo, WithPriorityHighestFirstThenOldest) {
  EXPECT_EQ(apps({100, 300, 200}, {0, 7, 7}, true).order(*fifo()), (order{2, 1, 0}));
}

TEST(AppFifo, NegativePrioritiesOrderedAsNumbers) {
  EXPECT_EQ(apps({1, 2, 3}, {-5, INT32_MIN, 5}, true).order(*fifo()), (order{2, 0, 1}));
}

TEST(AppFifo, EqualAgeAndPriorityLeftToTheKernel) {
  const auto keys = apps({100, 100}, {1, 1}, true).keys(*fifo()).keys;
  EXPECT_EQ(keys[0], keys[1]);
}

TEST(AppFifo, AnyOrderAndAnySubsetSameKeys) {
  const auto table = apps({5, 3, 8, 3, 1, 9}, {0, 1, 1, 0, 2, 2}, true);
  testing::expect_keys_of_items_alone(table, *fifo(), *fifo());
}

}  // namespace
}  // namespace tenon
