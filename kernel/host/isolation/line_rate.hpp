// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How many lines of one module, of all its processes, go to the host's log: it may log in a loop.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

namespace tenon::host::isolation {

class line_rate {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr uint64_t at_once = 100, each_second = 10;

  // How many were left out since the last line that was not. Nothing: this one is left out, too. From any thread.
  std::optional<uint64_t> admit(clock::time_point now) {
    const std::scoped_lock lock(mutex_);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - since_);
    if (seconds.count() > 0) {
      const auto more = static_cast<uint64_t>(std::min<int64_t>(seconds.count(), at_once)) * each_second;
      left_ = std::min(at_once, left_ + more);
      since_ += seconds;
    }
    if (left_ == 0) {
      ++untold_;
      return std::nullopt;
    }
    --left_;
    return std::exchange(untold_, 0);
  }

 private:
  std::mutex mutex_;
  clock::time_point since_ = clock::now();
  uint64_t left_ = at_once, untold_ = 0;
};

}  // namespace tenon::host::isolation
