// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How many applications and containers ran, minute by minute, for a day.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <vector>

#include "tenon/abi/host_views.h"
#include "tenon/kernel/kernel.hpp"

namespace tenon::observe {

// What runs changes by decisions alone: it is noted while they are made, every few seconds, and when somebody asks.
// Minutes in which nobody noted anything had no decisions either.
class history {
 public:
  struct minute {
    int64_t at_ms = 0, running = 0, containers = 0;
  };

  void decided(const kernel &k, int64_t now_ms);  // on the kernel's thread
  void looked(const tenon_view &view, int64_t now_ms);
  [[nodiscard]] std::vector<minute> all() const;

 private:
  // `since`: what ran in the minutes since the last note; null: the same as at that note.
  void note(minute now, const minute *since, int64_t now_ms);

  mutable std::mutex mutex_;
  std::vector<minute> minutes_;
  int64_t noted_ms_ = 0;  // by decided()
};

}  // namespace tenon::observe
