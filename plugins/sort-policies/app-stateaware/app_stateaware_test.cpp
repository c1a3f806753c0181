// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/testing/properties.hpp"

namespace tenon {
namespace {

using order = std::vector<uint32_t>;

struct app {
  int64_t state;
  int64_t submitted_ms;
  int64_t starts_next = 0;
  int64_t priority = 0;
};

testing::policy_table table(const std::vector<app> &apps, bool priority_sort = false) {
  std::vector<int64_t> states, submitted_ms, starts_next, priority;
  for (const app &a : apps) {
    states.push_back(a.state);
    submitted_ms.push_back(a.submitted_ms);
    starts_next.push_back(a.starts_next);
    priority.push_back(a.priority);
  }
  testing::policy_table out({"vcore", "memory"});
  out.numbers("app.state", states).numbers("app.submitted_ms", submitted_ms).numbers("app.starts_next", starts_next);
  out.numbers("app.priority", priority).numbers("parent.priority_sort", {priority_sort ? 1 : 0});
  return out;
}

std::unique_ptr<bound_policy> stateaware() { return testing::bound(module_kind::app_sort, "stateaware"); }

TEST(AppStateaware, OfThoseThatAreAcceptedTheNextOneGoes) {
  EXPECT_EQ(
      table({{TENON_APP_ACCEPTED, 30}, {TENON_APP_ACCEPTED, 10, 1}, {TENON_APP_ACCEPTED, 20}}).order(*stateaware()),
      (order{1}));
}

TEST(AppStateaware, WithoutANextOneNoOtherStarts) {
  EXPECT_EQ(table({{TENON_APP_ACCEPTED, 10}, {TENON_APP_STARTING, 20}, {TENON_APP_RUNNING, 30}}).order(*stateaware()),
            (order{1, 2}));
}

TEST(AppStateaware, RunningOnesInTheOrderOfFifo) {
  const std::vector<app> apps{{TENON_APP_RUNNING, 30}, {TENON_APP_RUNNING, 10, 0, 1}, {TENON_APP_ACCEPTED, 20, 1, 5}};
  EXPECT_EQ(table(apps).order(*stateaware()), (order{1, 2, 0}));
  EXPECT_EQ(table(apps, true).order(*stateaware()), (order{2, 1, 0}));
}

TEST(AppStateaware, NewCompletingAndResumingNotEligible) {
  EXPECT_EQ(table({{TENON_APP_NEW, 1}, {TENON_APP_COMPLETING, 2}, {TENON_APP_RESUMING, 3}}).order(*stateaware()),
            (order{}));
}

TEST(AppStateaware, NotEligibleWaitsForAChangeOfItsOwn) {
  const auto policy = stateaware();
  EXPECT_EQ(table({{TENON_APP_ACCEPTED, 10}, {TENON_APP_STARTING, 20}}).keys(*policy).not_before_ms[0], TENON_NOT_NOW);
  for (const column_request &c : policy->columns) EXPECT_NE(c.scope, TENON_SCOPE_SIBLINGS) << c.id;
}

TEST(AppStateaware, AnyOrderSameKeysAndEligibility) {
  const auto apps =
      table({{TENON_APP_RUNNING, 3}, {TENON_APP_ACCEPTED, 5}, {TENON_APP_ACCEPTED, 2, 1}, {TENON_APP_NEW, 1}});
  testing::expect_order_of_batch_without_effect(apps, *stateaware(), *stateaware());
}

}  // namespace
}  // namespace tenon
