// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/sdk/keys.hpp"
#include "tenon/testing/fact_rows.hpp"
#include "tenon/testing/properties.hpp"

namespace tenon {
namespace {

using amounts = testing::policy_table::amounts;
using order = std::vector<uint32_t>;

struct queue {
  amounts allocated, guaranteed, fair_max;
  int64_t priority = 0;
};

testing::policy_table table(const std::vector<queue> &queues, bool priority_sort = false) {
  std::vector<amounts> allocated, guaranteed, fair_max;
  std::vector<int64_t> priority;
  for (const queue &q : queues) {
    allocated.push_back(q.allocated);
    guaranteed.push_back(q.guaranteed);
    fair_max.push_back(q.fair_max);
    priority.push_back(q.priority);
  }
  testing::policy_table out({"memory", "vcore", "gpu", "pods", "ephemeral-storage"});
  out.resources("queue.allocated", allocated).resources("queue.guaranteed", guaranteed);
  out.resources("queue.fair_max", fair_max).numbers("queue.priority", priority);
  out.numbers("parent.priority_sort", {priority_sort ? 1 : 0});
  return out;
}

std::unique_ptr<bound_policy> fair() { return testing::bound(module_kind::queue_sort, "fair"); }

// The share of one queue: the first word of its key where priority does not come before it.
uint64_t share(const queue &q) { return table({q}).keys(*fair()).keys.at(0).at(0); }

TEST(QueueFair, GuaranteedSmallestShareOfItFirst) {
  const amounts guaranteed{{"vcore", 100}};
  EXPECT_EQ(
      table({{{{"vcore", 60}}, guaranteed, {}}, {{{"vcore", 20}}, guaranteed, {}}, {{{"vcore", 40}}, guaranteed, {}}})
          .order(*fair()),
      (order{1, 2, 0}));
}

TEST(QueueFair, SeveralTypesTheLargestShareCounts) {
  EXPECT_EQ(share({{{"vcore", 10}, {"memory", 75}}, {{"vcore", 100}, {"memory", 100}}, {}}), sdk::ascending(0.75));
}

TEST(QueueFair, NotGuaranteedShareOfFairMax) {
  EXPECT_EQ(share({{{"vcore", 30}}, {{"memory", 1}}, {{"vcore", 120}}}), sdk::ascending(0.25));
}

TEST(QueueFair, GuaranteedFairMaxIsNotLookedAt) {
  EXPECT_EQ(share({{{"vcore", 30}}, {{"vcore", 40}}, {{"vcore", 1}}}), sdk::ascending(0.75));
}

TEST(QueueFair, TypeWithoutGuaranteeAndFairMaxNotCounted) {
  EXPECT_EQ(share({{{"vcore", 10}, {"gpu", 999}}, {{"vcore", 100}}, {}}), sdk::ascending(0.1));
}

TEST(QueueFair, GuaranteeOfZeroShareIsOneWhereAnythingIsAllocated) {
  EXPECT_EQ(share({{{"gpu", 1}}, {{"gpu", 0}}, {}}), sdk::ascending(1.0));
  EXPECT_EQ(share({{{"gpu", 0}}, {{"gpu", 0}}, {}}), sdk::ascending(0.0));
}

TEST(QueueFair, PrioritySortPriorityBeforeShare) {
  const amounts guaranteed{{"vcore", 100}};
  const std::vector<queue> queues{
      {{{"vcore", 10}}, guaranteed, {}, 1}, {{{"vcore", 90}}, guaranteed, {}, 5}, {{{"vcore", 20}}, guaranteed, {}, 5}};
  EXPECT_EQ(table(queues, true).order(*fair()), (order{2, 1, 0}));
  EXPECT_EQ(table(queues, false).order(*fair()), (order{0, 2, 1}));
}

TEST(QueueFair, NoPrioritySortPriorityBreaksEqualShares) {
  const amounts half{{"vcore", 50}}, guaranteed{{"vcore", 100}};
  EXPECT_EQ(table({{half, guaranteed, {}, -3}, {half, guaranteed, {}, 7}, {half, guaranteed, {}, 0}}).order(*fair()),
            (order{1, 2, 0}));
}

TEST(QueueFair, ExtremePrioritiesOrderedAsNumbers) {
  const std::vector<queue> queues{{{}, {}, {}, INT32_MIN}, {{}, {}, {}, INT32_MAX}, {{}, {}, {}, 0}};
  EXPECT_EQ(table(queues, true).order(*fair()), (order{1, 2, 0}));
}

TEST(QueueFair, TableOfTheFieldSameShares) {
  const auto facts = testing::share_facts("getFairShare");
  EXPECT_GT(facts.size(), 10U);
  for (const auto &[arguments, expected, text] : facts) {
    const uint64_t key = share({arguments.at(0), arguments.at(1), arguments.at(2)});
    EXPECT_GE(key, sdk::ascending(expected - 1e-9)) << text;
    EXPECT_LE(key, sdk::ascending(expected + 1e-9)) << text;
  }
}

TEST(QueueFair, AnyOrderAndAnySubsetSameKeys) {
  std::mt19937 random(11);
  std::vector<queue> queues(100);
  for (queue &q : queues) {
    q.allocated = {{"vcore", random() % 50}, {"memory", random() % 50}};
    q.guaranteed = {{"vcore", random() % 5}};
    q.fair_max = {{"memory", random() % 100}};
    q.priority = static_cast<int64_t>(random() % 5);
  }
  testing::expect_keys_of_items_alone(table(queues), *fair(), *fair());
  testing::expect_keys_of_items_alone(table(queues, true), *fair(), *fair());
}

}  // namespace
}  // namespace tenon
