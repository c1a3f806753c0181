// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The queue with the smallest dominant share first: allocated of its guarantee, or of its fair maximum where
// nothing is guaranteed. Priority goes before the share where the parent sorts by it, else after.
#include "tenon/sdk/sort_policy.hpp"

namespace {

using namespace tenon::sdk;

struct queue_fair {
  static constexpr std::string_view name = "fair";
  static constexpr std::tuple columns{resources_column{"queue.allocated"}, resources_column{"queue.guaranteed"},
                                      resources_column{"queue.fair_max"}, number_column{"queue.priority"},
                                      number_column{"parent.priority_sort", scope::context}};

  std::array<uint64_t, 2> key(const auto &queue) const {
    const auto [allocated, guaranteed, fair_max, priority, by_priority] = queue.values();
    const uint64_t share = ascending(tenon_dominant_share(allocated, guaranteed, fair_max));
    const uint64_t urgency = descending(priority);
    return by_priority != 0 ? std::array{urgency, share} : std::array{share, urgency};
  }
};

}  // namespace

TENON_MODULE(queue_sort<queue_fair>)
