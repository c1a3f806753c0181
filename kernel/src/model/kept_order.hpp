// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Kept order of a leaf: the first of its units that waits for headroom of its queues. Nothing behind that takes any of
// the types that it lacks (queue.strict, reservation.queue_delay).
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tenon/kernel/resources.hpp"

namespace tenon::internal {

struct ask;
struct leaf_class;
struct usage_node;

// It waits for something else than headroom, and is looked at again once it has too little headroom.
struct headroom_watcher {
  leaf_class *unit = nullptr;
  ask *refused = nullptr;  // by the resource manager; then there is no unit
};

struct kept_order {
  leaf_class *first = nullptr;       // null: none waits for headroom
  int64_t from_ms = 0;               // from then on nothing passes it
  std::vector<usage_node *> limits;  // that its ask counts for: where one is full, others are first
  std::vector<leaf_class *> parked;  // units of the leaf, in no order
  std::vector<std::map<std::pair<int64_t, uint64_t>, headroom_watcher>> watchers;  // by type, then need and number
  boost::unordered_flat_map<const ask *, uint64_t> refused;                        // their numbers
  uint64_t next_number = 1;
};

}  // namespace tenon::internal
