// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Administrators' stops: what administrators stopped or drained in a partition and did not start since. It outlives the
// objects: one that is made again is made stopped.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "tenon/kernel/states.hpp"

namespace tenon::internal {

struct administrators_stops {
  object_state partition = object_state::active;
  std::set<std::string, std::less<>> queues;  // paths of stopped ones
  std::set<std::string, std::less<>> nodes;   // ids of drained ones

  [[nodiscard]] bool empty() const { return partition == object_state::active && queues.empty() && nodes.empty(); }
};

}  // namespace tenon::internal
