// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/testing/properties.hpp"

namespace tenon {
namespace {

using order = std::vector<uint32_t>;

struct app {
  int64_t state;
  int64_t submitted_ms;
  int64_t pending = 1;
  int64_t priority = 0;
};

testing::policy_table table(const std::vector<app> &apps, bool priority_sort = false) {
  std::vector<int64_t> states, submitted_ms, submission, priority;
  std::vector<testing::policy_table::amounts> pending;
  for (const app &a : apps) {
    states.push_back(a.state);
    submitted_ms.push_back(a.submitted_ms);
    submission.push_back(static_cast<int64_t>(submission.size()) + 1);
    priority.push_back(a.priority);
    pending.push_back({{"vcore", a.pending}});
  }
  testing::policy_table out({"vcore", "memory"});
  out.numbers("app.state", states).numbers("app.submitted_ms", submitted_ms).numbers("app.submission", submission);
  out.numbers("app.priority", priority);
  out.resources("app.pending", pending).numbers("parent.priority_sort", {priority_sort ? 1 : 0});
  return out;
}

std::unique_ptr<bound_policy> stateaware() { return testing::bound(module_kind::app_sort, "stateaware"); }

TEST(AppStateaware, SeveralAcceptedOnlyTheOldestMayStart) {
  EXPECT_EQ(table({{TENON_APP_ACCEPTED, 30}, {TENON_APP_ACCEPTED, 10}, {TENON_APP_ACCEPTED, 20}}).order(*stateaware()),
            (order{1}));
}

TEST(AppStateaware, OneIsStartingNoOtherStarts) {
  EXPECT_EQ(table({{TENON_APP_ACCEPTED, 10}, {TENON_APP_STARTING, 20}, {TENON_APP_RUNNING, 30}}).order(*stateaware()),
            (order{1, 2}));
}

TEST(AppStateaware, StartingHasNothingPendingNoOtherStarts) {
  EXPECT_EQ(table({{TENON_APP_ACCEPTED, 10}, {TENON_APP_STARTING, 5, 0}, {TENON_APP_RUNNING, 20}}).order(*stateaware()),
            (order{1, 2}));
}

TEST(AppStateaware, RunningHasNothingPendingNextMayStart) {
  EXPECT_EQ(table({{TENON_APP_ACCEPTED, 10}, {TENON_APP_RUNNING, 5, 0}}).order(*stateaware())[1], 0U);
}

TEST(AppStateaware, OldestAcceptedHasNothingPendingDoesNotHoldTheNext) {
  EXPECT_EQ(table({{TENON_APP_ACCEPTED, 20}, {TENON_APP_ACCEPTED, 10, 0}}).order(*stateaware()), (order{0}));
}

TEST(AppStateaware, RunningOnesInTheOrderOfFifo) {
  const std::vector<app> apps{{TENON_APP_RUNNING, 30}, {TENON_APP_RUNNING, 10, 1, 1}, {TENON_APP_ACCEPTED, 20, 1, 5}};
  EXPECT_EQ(table(apps).order(*stateaware()), (order{1, 2, 0}));
  EXPECT_EQ(table(apps, true).order(*stateaware()), (order{2, 1, 0}));
}

TEST(AppStateaware, NewCompletingAndResumingNotEligible) {
  EXPECT_EQ(table({{TENON_APP_NEW, 1}, {TENON_APP_COMPLETING, 2}, {TENON_APP_RESUMING, 3}}).order(*stateaware()),
            (order{}));
}

TEST(AppStateaware, AcceptedOfOneAgeTheOneThatCameFirstMayStart) {
  EXPECT_EQ(table({{TENON_APP_ACCEPTED, 10}, {TENON_APP_ACCEPTED, 10}}).order(*stateaware()), (order{0}));
}

TEST(AppStateaware, NotEligibleWaitsForAChangeOfSiblings) {
  const auto policy = stateaware();
  EXPECT_EQ(table({{TENON_APP_ACCEPTED, 10}, {TENON_APP_STARTING, 20}}).keys(*policy).not_before_ms[0], TENON_NOT_NOW);
  for (const column_request &c : policy->columns) {
    if (c.id == "app.state" || c.id.starts_with("app.subm") || c.id == "app.pending") {
      EXPECT_EQ(c.scope, TENON_SCOPE_SIBLINGS) << c.id;
    }
  }
}

TEST(AppStateaware, AnyOrderSameKeysAndEligibility) {
  const auto apps =
      table({{TENON_APP_RUNNING, 3}, {TENON_APP_ACCEPTED, 5}, {TENON_APP_ACCEPTED, 2}, {TENON_APP_NEW, 1}});
  testing::expect_order_of_batch_without_effect(apps, *stateaware(), *stateaware());
}

}  // namespace
}  // namespace tenon
