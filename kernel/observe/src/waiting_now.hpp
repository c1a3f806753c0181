// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What waits in each leaf queue of a partition, by what it waits for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "tenon/abi/host_read.h"

namespace tenon::observe {

struct waiting_now {
  static constexpr size_t most_reasons = 8;

  int64_t pending = 0, oldest_ms = 0, reservations = 0;
  std::map<std::string, int64_t> by_reason;  // pending allocations; "its turn": nothing but others before them

  // Adds what waits in another queue.
  void add(const waiting_now &other);
  // The reasons for which most allocations wait. The remaining ones are "others", so that names of nodes and task
  // groups do not become series.
  [[nodiscard]] std::map<std::string, int64_t> largest_reasons() const;
};

// Counts what the active applications of the partition wait for, by leaf queue. Needs a view with applications and
// asks.
[[nodiscard]] std::map<std::string, waiting_now> waiting_by_queue(const tenon_view_partition &p, int64_t now_ms);

}  // namespace tenon::observe
