// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Timers of placeholders: how long they may wait for each other and for real asks, and how long those that are left
// over stay.
#pragma once

#include <cstdint>

#include "base/timers.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct partition;

class placeholder_timers {
 public:
  explicit placeholder_timers(partition &p) : p_(p) {}

  void arm(application &app, int64_t from_ms);
  static void stop_waiting(application &app) { app.placeholder_timers.waiting = 0; }
  static void stop(application &app) { app.placeholder_timers = {}; }
  // Placeholders for which nothing can come are given back after a while. `real_went`: an ask or allocation that is no
  // placeholder did just now.
  void watch_left_over(application &app, bool real_went);
  void fire(const timer &t);  // placeholders, left_over
  [[nodiscard]] bool is_void(const timer &t) const;

 private:
  void timed_out(application &app);
  void give_back_left_over(application &app);

  partition &p_;
};

}  // namespace tenon::internal
