// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Timers of placeholders: how long they may wait for each other and for real asks, and how long those that are left
// over stay.
#pragma once

#include <cstdint>

#include "model/objects.hpp"

namespace tenon::internal {

struct partition;

class placeholder_timers {
 public:
  explicit placeholder_timers(partition &p) : p_(p) {}

  void arm(application &app, int64_t from_ms);
  void timed_out(application &app);
  // Placeholders for which nothing can come are given back after a while. `real_went`: an ask or allocation that is no
  // placeholder did just now.
  void watch_left_over(application &app, bool real_went);
  void give_back_left_over(application &app);

 private:
  partition &p_;
};

}  // namespace tenon::internal
