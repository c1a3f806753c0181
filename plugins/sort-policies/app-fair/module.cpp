// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The application that uses least first: its shares of what the queue guarantees, largest share first. A type
// without guarantee counts as its amount. Priority goes before the shares where the queue sorts by it, else after.
#include "tenon/sdk/sort_policy.hpp"

namespace {

using namespace tenon::sdk;

struct app_fair {
  static constexpr std::string_view name = "fair";
  static constexpr std::tuple columns{resources_column{"app.allocated"}, number_column{"app.priority"},
                                      resources_column{"queue.guaranteed", scope::context},
                                      number_column{"parent.priority_sort", scope::context}};

  explicit app_fair(const setup &s) : shares_(s.max_resource_types) {}

  uint32_t key_words() const { return shares_ + 1; }

  void key(const auto &app, std::span<uint64_t> words) const {
    const auto [allocated, priority, guaranteed, by_priority] = app.values();
    const uint64_t first = by_priority != 0 ? 1 : 0;
    words[first != 0 ? 0 : shares_] = descending(priority);
    tenon_shares_keys(allocated, guaranteed, &words[first], shares_);
  }

 private:
  uint32_t shares_;  // one word for each type that may ever exist
};

}  // namespace

TENON_MODULE(app_sort<app_fair>)
