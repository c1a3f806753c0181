// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The time of a running scheduler: the system's clock at the start, and from then on what passes. Whoever sets the
// system's clock later moves no timer. One thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace tenon::service {

// Readings in milliseconds. Empty: the system's clock, as Unix time, and its steady one.
struct clock_readings {
  std::function<int64_t()> wall_ms, steady_ms;
};

class running_clock {
 public:
  explicit running_clock(clock_readings from = {}) : from_(std::move(from)) {
    const auto ms = [](auto since) { return std::chrono::duration_cast<std::chrono::milliseconds>(since).count(); };
    if (!from_.wall_ms) from_.wall_ms = [ms] { return ms(std::chrono::system_clock::now().time_since_epoch()); };
    if (!from_.steady_ms) from_.steady_ms = [ms] { return ms(std::chrono::steady_clock::now().time_since_epoch()); };
    ahead_ms_ = from_.wall_ms() - from_.steady_ms();
    wall_ahead_ms_ = ahead_ms_;
  }

  [[nodiscard]] int64_t now_ms() const { return from_.steady_ms() + ahead_ms_; }

  // By how much the system's clock was set since the last look, back below 0; 0: less than a second, as clocks are
  // kept right.
  [[nodiscard]] int64_t step_ms() {
    constexpr int64_t least_ms = 1'000;
    const int64_t ahead_ms = from_.wall_ms() - from_.steady_ms();
    const int64_t step = ahead_ms - std::exchange(wall_ahead_ms_, ahead_ms);
    return step >= least_ms || step <= -least_ms ? step : 0;
  }

 private:
  clock_readings from_;
  int64_t ahead_ms_ = 0;       // the time here of the steady clock
  int64_t wall_ahead_ms_ = 0;  // the system's clock of it, at the last look
};

}  // namespace tenon::service
