// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "loading/retry_times.hpp"

#include <algorithm>

namespace tenon::host {

using std::chrono::milliseconds;

bool retry_times::is_due(const std::string &module, time_point now, time_point fault) {
  constexpr uint32_t most_doublings = 7;
  if (first_.count() == 0) return false;
  tried &before = tried_[module];
  const milliseconds wait = first_ * (int64_t{1} << std::min(before.times, most_doublings));
  if (std::chrono::duration_cast<milliseconds>(now - std::max(before.last, fault)) < wait) return false;
  ++before.times;
  before.last = now;
  return true;
}

void retry_times::decides(const std::string &module, time_point now) {
  const auto found = tried_.find(module);
  if (found != tried_.end() && now - found->second.last >= sound_) tried_.erase(found);
}

}  // namespace tenon::host
