// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a kernel keeps for a resource manager, counted as it comes and goes: whoever runs the kernel bounds it.
#pragma once

#include <cstdint>

#include "tenon/kernel/commands.hpp"

namespace tenon {

struct kept_amounts {
  uint64_t applications = 0;  // that have not ended
  uint64_t asks = 0;          // an ask for each allocation that it may have; foreign allocations
  uint64_t nodes = 0;
  // By and large, of the memory: texts as they are, the rest by fixed sizes. Without applications that ended and are
  // shown still; with what stays as long as the partition does: kinds of asks, use of users and groups.
  uint64_t bytes = 0;

  kept_amounts &operator+=(const kept_amounts &other) {
    applications += other.applications;
    asks += other.asks;
    nodes += other.nodes;
    bytes += other.bytes;
    return *this;
  }
  kept_amounts &operator-=(const kept_amounts &other) {
    applications -= other.applications;
    asks -= other.asks;
    nodes -= other.nodes;
    bytes -= other.bytes;
    return *this;
  }
  friend bool operator==(const kept_amounts &, const kept_amounts &) = default;
};

// What the command may add, where there is nothing yet that it replaces. Nothing for commands that take away alone.
[[nodiscard]] kept_amounts growth_by(const command &c);

}  // namespace tenon
