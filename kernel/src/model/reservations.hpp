// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reservations: a node kept for an ask, and the units in which pass A of the cycle finds the first one that
// something can be done with.
#pragma once

#include "base/indexed_heap.hpp"
#include "model/parked_unit.hpp"

namespace tenon::internal {

struct ask;
struct ask_class;
struct node;
struct reserved_unit;
struct usage_node;

struct reservation {
  uint32_t index = 0;
  bool live = false;
  bool look = false;     // its node may have room: nothing was found against that since the node changed
  bool due = false;      // the ask may try to preempt
  bool refused = false;  // the resource manager refused every node that fits: waits until something changes for it
  ask *of = nullptr;
  node *where = nullptr;
  uint64_t sequence = 0;            // order in which they were made, and epoch of its timer
  reserved_unit *unit = nullptr;    // null while the ask stands in another line
  usage_node *parked_on = nullptr;  // a user or group limit
  type_index parked_type = no_type;
  uint32_t any_position = not_in_heap, own_position = not_in_heap, due_position = not_in_heap;
};

using reservation_slab = slab<reservation, small_page_bytes>;

struct reservation_before {
  bool operator()(const reservation &a, const reservation &b) const { return a.sequence < b.sequence; }
};
template <uint32_t reservation::*Position>
struct reservation_position {
  uint32_t &operator()(reservation &r) const { return r.*Position; }
  const uint32_t &operator()(const reservation &r) const { return r.*Position; }
};
struct reservation_prefix {
  key_prefix operator()(const reservation &r) const { return {r.sequence, 0}; }
};
template <uint32_t reservation::*Position>
using reservation_heap =
    indexed_heap<reservation, reservation_before, reservation_position<Position>, reservation_prefix>;

// The reserved asks of one class in one leaf.
struct reserved_unit : parked_unit {
  ask_class *shape = nullptr;
  reservation_heap<&reservation::any_position> any;  // may be placed wherever there is room
  reservation_heap<&reservation::own_position> own;  // whose own node may have it
  reservation_heap<&reservation::due_position> due;  // that may try to preempt
  reservation *first = nullptr;                      // of those with which something may be done now
  uint32_t position = not_in_heap;
};

struct reserved_unit_before {
  bool operator()(const reserved_unit &a, const reserved_unit &b) const {
    return a.first->sequence < b.first->sequence;
  }
};
struct reserved_unit_position {
  uint32_t &operator()(reserved_unit &u) const { return u.position; }
  const uint32_t &operator()(const reserved_unit &u) const { return u.position; }
};
struct reserved_unit_prefix {
  key_prefix operator()(const reserved_unit &u) const { return {u.first->sequence, 0}; }
};
using reserved_heap = indexed_heap<reserved_unit, reserved_unit_before, reserved_unit_position, reserved_unit_prefix>;

}  // namespace tenon::internal
