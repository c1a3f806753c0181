// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Timers of placeholders: how long they may wait for each other and for real asks, and how long those that are left
// over stay.
#pragma once

#include <cstdint>

#include "base/timers.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

class application_lifecycle;
class proposals;
struct core;

class placeholder_timers {
 public:
  placeholder_timers(core &shared, uint32_t partition_id, const partition_config &config,
                     slab<application> &applications, internal::proposals &proposals, application_lifecycle &lifecycle)
      : shared_(shared),
        partition_id_(partition_id),
        config_(config),
        applications_(applications),
        proposals_(proposals),
        lifecycle_(lifecycle) {}

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

  core &shared_;
  const uint32_t partition_id_;
  const partition_config &config_;
  slab<application> &applications_;
  internal::proposals &proposals_;
  application_lifecycle &lifecycle_;
};

}  // namespace tenon::internal
