// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One queue for all. Its dots are levels, whether it is a full path or stands below the parent rule's queue.
#include "tenon/sdk/placement_rule.hpp"

namespace {

using namespace tenon::sdk;

struct fixed {
  static constexpr std::string_view name = "fixed";

  explicit fixed(const config &settings) : queue_(settings.text("value", "")) {
    if (queue_.empty()) config::refuse("value", "a queue");
    for (char &c : queue_)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }

  placement place(const submission &) const {
    return queue_ == "root" || queue_.starts_with("root.") ? full_path(queue_) : below_parent(queue_);
  }

 private:
  std::string queue_;
};

}  // namespace

TENON_MODULE(placement_rule<fixed>)
