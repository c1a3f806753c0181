// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Applications start one after the other: those that are Starting or Running go in the order of fifo; of those that are
// Accepted and have something pending only the one that was submitted first, and none while any is Starting. The kernel
// says which one that is (app.starts_next), so that the key of an application reads no other application.
#include "tenon/sdk/sort_policy.hpp"

namespace {

using namespace tenon::sdk;

struct app_stateaware {
  static constexpr std::string_view name = "stateaware";
  static constexpr uint32_t order_rev = 2;
  static constexpr std::tuple columns{number_column{"app.submitted_ms"}, number_column{"app.priority"},
                                      number_column{"app.state"}, number_column{"app.starts_next"},
                                      number_column{"parent.priority_sort", scope::context}};

  std::array<uint64_t, 2> key(const auto &app) const {
    const auto [submitted_ms, priority, state, starts_next, by_priority] = app.values();
    const uint64_t age = ascending(submitted_ms), urgency = descending(priority);
    return by_priority != 0 ? std::array{urgency, age} : std::array{age, urgency};
  }

  int64_t not_before(const auto &app) const {
    const auto [submitted_ms, priority, state, starts_next, by_priority] = app.values();
    const bool goes_on = state == TENON_APP_STARTING || state == TENON_APP_RUNNING;
    return starts_next != 0 || goes_on ? std::numeric_limits<int64_t>::min() : TENON_NOT_NOW;
  }
};

}  // namespace

TENON_MODULE(app_sort<app_stateaware>)
