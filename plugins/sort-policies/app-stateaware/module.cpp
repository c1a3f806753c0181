// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Applications start one after the other: those that are Starting or Running go in the order of fifo; of those
// that are Accepted only the oldest, and only while none is Starting. Applications without pending asks do
// not count. Accepted ones of one age are all let through: the kernel's tie-break decides which one starts.
#include "tenon/sdk/sort_policy.hpp"

namespace {

using namespace tenon::sdk;

struct app_stateaware {
  static constexpr std::string_view name = "stateaware";
  static constexpr std::tuple columns{number_column{"app.submitted_ms", scope::siblings}, number_column{"app.priority"},
                                      number_column{"app.state", scope::siblings},
                                      resources_column{"app.pending", scope::siblings},
                                      number_column{"parent.priority_sort", scope::context}};

  void begin(const auto &apps) {
    one_is_starting_ = false;
    oldest_ms_ = std::numeric_limits<int64_t>::max();
    for (uint32_t i = 0; i < apps.size(); ++i) {
      const auto [submitted_ms, priority, state, pending, by_priority] = apps[i].values();
      if (!wants(pending)) continue;
      one_is_starting_ |= state == TENON_APP_STARTING;
      if (state == TENON_APP_ACCEPTED) oldest_ms_ = std::min(oldest_ms_, submitted_ms);
    }
  }

  std::array<uint64_t, 2> key(const auto &app) const {
    const auto [submitted_ms, priority, state, pending, by_priority] = app.values();
    const uint64_t age = ascending(submitted_ms), urgency = descending(priority);
    return by_priority != 0 ? std::array{urgency, age} : std::array{age, urgency};
  }

  int64_t not_before(const auto &app) const {
    const auto [submitted_ms, priority, state, pending, by_priority] = app.values();
    const bool starts = state == TENON_APP_ACCEPTED && !one_is_starting_ && submitted_ms == oldest_ms_;
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
  int64_t oldest_ms_ = 0;
};

}  // namespace

TENON_MODULE(app_sort<app_stateaware>)
