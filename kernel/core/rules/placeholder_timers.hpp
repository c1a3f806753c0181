// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Timers of placeholders: how long they may wait for each other and for real asks, and how long those that are left
// over stay.
#pragma once

#include <cstdint>

#include "core.hpp"
#include "forward.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct placeholder_timers_access {
  partition_clock clock;
  const partition_config &config;
  const class_table &classes;
  slab<application> &applications;
  internal::proposals &proposals;
  application_lifecycle &lifecycle;
};

class placeholder_timers : placeholder_timers_access {
 public:
  explicit placeholder_timers(const placeholder_timers_access &all) : placeholder_timers_access(all) {}

  void entered(application &app, application_state from);  // its state
  void placed(application &app, int64_t bind_time_ms);     // a placeholder of it was
  // Placeholders for which nothing can come are given back after a while. `real_went`: an ask or allocation that is no
  // placeholder did just now.
  void watch_left_over(application &app, bool real_went);
  void fire(const timer &t);  // placeholders, left_over
  [[nodiscard]] bool is_void(const timer &t) const;

 private:
  void arm(application &app, int64_t from_ms);
  void timed_out(application &app);
  void give_back_left_over(application &app);
};

}  // namespace tenon::internal
