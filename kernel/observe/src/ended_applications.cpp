// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ended_applications.hpp"

namespace tenon::observe {

void ended_applications::count(const decision_view &d) {
  const char *state = nullptr;
  if (d.is(decision_kind::application_rejected)) {
    state = "rejected";
  } else if (const auto *now = d.as<decided::application_state>()) {
    if (now->state == application_state::completed) state = "completed";
    if (now->state == application_state::failed) state = "failed";
  }
  if (state == nullptr || d.queue.empty()) return;
  where of{std::string(d.partition), std::string(d.queue), state};
  const std::lock_guard lock(mutex_);
  if (counts_.size() < most_ || counts_.contains(of)) ++counts_[std::move(of)];
}

void ended_applications::forget_gone(const kernel &k) {
  const std::lock_guard lock(mutex_);
  if (counts_.size() < most_) return;
  std::erase_if(counts_, [&](const auto &one) { return k.find_partition(one.first.partition) == partition_id::none; });
}

std::map<ended_applications::where, uint64_t> ended_applications::all() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace tenon::observe
