// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Kept order of a leaf: the first of its asks that waits for headroom of its queues. Nothing behind that takes any of
// the types that it lacks (queue.strict, reservation.queue_delay).
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "model/class_amount.hpp"

namespace tenon::internal {

struct ask;
struct leaf_class;
struct parked_unit;
struct usage_node;

// It waits for something else than headroom, and is looked at again once it has too little headroom.
struct headroom_watcher {
  leaf_class *unit = nullptr;
  ask *refused =
      nullptr;  // by the resource manager, or the first of a gang that waits for nodes; then there is no unit
};

// An ask that watches without a unit: its number, and what it watches for.
struct refused_watch {
  uint64_t number = 0;
  std::vector<class_amount> needs;
};

struct kept_order {
  const ask *first = nullptr;         // null: none waits for headroom
  const parked_unit *unit = nullptr;  // in which it waits
  std::vector<class_amount> needs;    // of the first; of a gang that waits to begin all of it
  int64_t from_ms = 0;                // from then on nothing passes it
  std::vector<usage_node *> limits;   // that it counts for: where one is full, others are first
  std::vector<parked_unit *> parked;  // of the leaf, in no order
  std::vector<std::map<std::pair<int64_t, uint64_t>, headroom_watcher>> watchers;  // by type, then need and number
  boost::unordered_flat_map<const ask *, refused_watch> refused;
  uint64_t next_number = 1;
};

}  // namespace tenon::internal
