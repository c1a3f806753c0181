// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How use, what waits and what was decided went in each partition: every 10 seconds for a quarter of an hour, every
// minute for six hours; and the allocations that gave way last.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/decisions.hpp"
#include "tenon/kernel/snapshot.hpp"

namespace tenon::observe {

class timeline {
 public:
  // Bounds of what is kept: partitions beyond them are left out, the first ones stay while they are there.
  static constexpr size_t most_partitions = 16, most_types = 8, most_preemptions = 500;
  static constexpr size_t most_fine = 90, most_minutes = 360;
  static constexpr int64_t fine_ms = 10'000, minute_ms = 60'000;
  static constexpr int64_t shortest_first_ms = 1'000;  // of a partition's first point, where something was decided

  using amounts = std::array<int64_t, most_types>;  // in the order of the series' types
  struct point {
    int64_t at_ms = 0, span_ms = 0;  // its end, and how long it is
    amounts capacity{}, used{}, pending{};
    uint64_t waiting = 0;  // applications that have not run
    uint64_t decisions = 0, placed = 0, preempted = 0;
    double waited_seconds = 0, longest_seconds = 0;
  };
  struct series {
    std::string partition;  // [rm]name
    std::vector<std::string> types;
    std::vector<point> points;  // oldest first
  };
  struct preemption {
    uint64_t number = 0;  // from 1
    int64_t at_ms = 0;
    std::string partition, queue, application, key, node, reason;
  };

  // On the kernel's thread, while the decisions are handed over.
  void count(std::span<const decision_view> decisions);
  // All partitions as of now; their lists are not looked at.
  void look(const kernel_snapshot &all, int64_t now_ms);
  [[nodiscard]] std::vector<series> all() const;
  [[nodiscard]] std::vector<preemption> preemptions() const;  // oldest first

 private:
  struct kept {
    std::vector<std::string> types;
    std::deque<point> fine, minutes;
    point counted;         // since the last look: the counts alone
    int64_t first_ms = 0;  // of what was counted, while there is no point
  };

  kept *of(std::string_view partition);
  static void look_at(kept &to, const partition_snapshot &p, int64_t now_ms);

  mutable std::mutex mutex_;
  std::map<std::string, kept, std::less<>> partitions_;
  std::deque<preemption> preemptions_;
  uint64_t preempted_ = 0;
};

}  // namespace tenon::observe
