// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The application submitted first goes first. Priority goes before that where the queue sorts by it, else after.
#include "tenon/sdk/sort_policy.hpp"

namespace {

using namespace tenon::sdk;

struct app_fifo {
  static constexpr std::string_view name = "fifo";
  static constexpr std::tuple columns{number_column{"app.submitted_ms"}, number_column{"app.priority"},
                                      number_column{"parent.priority_sort", scope::context}};

  std::array<uint64_t, 2> key(const auto &app) const {
    const auto [submitted_ms, priority, by_priority] = app.values();
    const uint64_t age = ascending(submitted_ms), urgency = descending(priority);
    return by_priority != 0 ? std::array{urgency, age} : std::array{age, urgency};
  }
};

}  // namespace

TENON_MODULE(app_sort<app_fifo>)
