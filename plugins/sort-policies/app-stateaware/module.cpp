// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Applications start one after the other: those that are Starting or Running go in the order of fifo; of those that are
// Accepted and have something pending only the one that was submitted first, and none while any is Starting. That one
// counts whether it has something pending or not: an application stays in Starting for this alone.
#include "tenon/sdk/sort_policy.hpp"

namespace {

using namespace tenon::sdk;

struct app_stateaware {
  static constexpr std::string_view name = "stateaware";
  static constexpr uint32_t order_rev = 2;
  static constexpr std::tuple columns{number_column{"app.submitted_ms", scope::siblings},
                                      number_column{"app.submission", scope::siblings},
                                      number_column{"app.priority"},
                                      number_column{"app.state", scope::siblings},
                                      resources_column{"app.pending", scope::siblings},
                                      number_column{"parent.priority_sort", scope::context}};

  void begin(const auto &apps) {
    one_is_starting_ = false;
    first_ = {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::max()};
    for (uint32_t i = 0; i < apps.size(); ++i) {
      const auto [submitted_ms, submission, priority, state, pending, by_priority] = apps[i].values();
      one_is_starting_ |= state == TENON_APP_STARTING;
      if (state == TENON_APP_ACCEPTED && wants(pending)) first_ = std::min(first_, {submitted_ms, submission});
    }
  }

  std::array<uint64_t, 2> key(const auto &app) const {
    const auto [submitted_ms, submission, priority, state, pending, by_priority] = app.values();
    const uint64_t age = ascending(submitted_ms), urgency = descending(priority);
    return by_priority != 0 ? std::array{urgency, age} : std::array{age, urgency};
  }

  int64_t not_before(const auto &app) const {
    const auto [submitted_ms, submission, priority, state, pending, by_priority] = app.values();
    const bool first = std::pair(submitted_ms, submission) == first_;
    const bool starts = state == TENON_APP_ACCEPTED && !one_is_starting_ && first;
    const bool goes_on = state == TENON_APP_STARTING || state == TENON_APP_RUNNING;
    return starts || goes_on ? std::numeric_limits<int64_t>::min() : TENON_NOT_NOW;
  }

 private:
  static bool wants(const amounts &pending) {
    for (uint32_t t = 0; t < TENON_MAX_TYPES; ++t) {
      if (pending[t] > 0) return true;
    }
    return false;
  }

  bool one_is_starting_ = false;
  std::pair<int64_t, int64_t> first_;  // submission time and place of the one that may start
};

}  // namespace

TENON_MODULE(app_sort<app_stateaware>)
