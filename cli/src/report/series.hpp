// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A run as curves: what a report draws, computed from everything that changed.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "simulate/run_timeline.hpp"

namespace tenon::cli {

// One value an interval; NaN where there is none.
using curve = std::vector<double>;

struct named_curve {
  std::string name;
  curve values;
};

struct queue_curves {
  std::string name;
  curve used;              // parts of the capacity, of the main type
  uint64_t preempted = 0;  // allocations of it that gave way to others
  curve satisfied;         // its share as a part of its fair share (fair_share.hpp); NaN where it wants nothing
};

struct run_curves {
  // The axis: virtual time, or where everything happened at one time the placements one after the other.
  bool by_time = true;
  double span = 0;  // seconds, or placements
  size_t intervals = 0;

  std::vector<named_curve> use;      // by resource type, parts of the capacity
  std::string main_type;             // the one that is used most: queues and fragmentation are about it
  std::vector<queue_curves> queues;  // those that use most of it, the largest first
  curve used_by_others;              // by all other queues
  size_t others = 0;                 // how many queues these are
  curve waiting;                     // asks that wait, placeholders included
  curve fairness;                    // Jain's index of how satisfied queues are; NaN while none waits
  curve scattered, stranded;         // fragmentation.hpp, at the end of each interval
  curve preempted;                   // allocations that gave way to others, up to the end of each interval

  // Without time there is no fairness: curves of it are empty.
  // Of the intervals that have one; NaN: there is none.
  double average_fairness = std::nan(""), average_scattered = std::nan(""), average_stranded = std::nan("");
};

// At most `intervals` of equal length, and at most `queues` curves of queues.
[[nodiscard]] run_curves make_curves(const timeline &of, size_t intervals = 300, size_t queues = 24);

}  // namespace tenon::cli
