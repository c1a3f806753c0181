// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How use and waiting went in each queue: about every minute for six hours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/abi/host_read.h"

namespace tenon::observe {

class queue_curves {
 public:
  // Bounds of what is kept. Queues beyond them are left out: those near the root come first, and a queue stays while it
  // is there.
  static constexpr size_t most_queues = 100, most_types = 8;
  static constexpr int64_t minute_ms = 60'000, kept_ms = 6 * 60 * minute_ms;

  struct point {
    int64_t at_ms = 0, span_ms = 0;      // its end, and how long it is
    std::vector<int64_t> used, pending;  // in the order of the series' types
    uint64_t running = 0, waiting = 0;  // applications that run, allocations that wait; both with those of queues below
    int64_t oldest_ms = 0;              // how long the longest of the waiting allocations has waited
    std::vector<std::pair<uint32_t, int64_t>> reasons;  // index in the series' reasons, allocations that wait for it
  };
  struct series {
    std::vector<std::string> types, reasons;
    std::deque<point> points;  // oldest first
  };

  // Adds a point to each queue of the view, which needs queues, applications and asks.
  void look(const tenon_view &view, int64_t now_ms);
  // Returns the points of a queue; none where the queue is not there or has been left out.
  [[nodiscard]] series of(const std::string &partition, const std::string &queue) const;

 private:
  using name = std::pair<std::string, std::string>;  // [rm]partition, path

  void look_at(const tenon_view_partition &p, int64_t now_ms);

  mutable std::mutex mutex_;
  std::map<name, series> queues_;
};

}  // namespace tenon::observe
