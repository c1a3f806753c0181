// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reservations: a node kept for an ask, and the units in which pass A of the cycle finds the first one that
// something can be done with.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "base/indexed_heap.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::internal {

struct ask;
struct ask_class;
struct node;
struct queue;
struct reserved_unit;

// How the node gets room for the ask.
enum class way_to_room : uint8_t {
  as_it_comes,  // the cluster has enough left
  it_empties,   // whatever the cluster has left
  preemption,
};

struct reservation {
  uint32_t index = 0;
  bool live = false;
  bool look = false;     // its node may have room: nothing was found against that since the node changed
  bool due = false;      // the ask may try to preempt
  bool refused = false;  // the resource manager refused every node that fits: waits until something changes for it
  way_to_room way = way_to_room::as_it_comes;
  // In this decision: its ask stands aside in pass A, and takes its turn among all others afterwards.
  bool stands_aside = false, by_order = false;
  bool full = false;     // its queues have no headroom for the ask before victims are gone
  bool of_gang = false;  // one of those for a gang that begins whole: no pass looks at it
  ask *of = nullptr;
  node *where = nullptr;
  uint64_t sequence = 0;          // order in which they were made, and epoch of its timer
  reserved_unit *unit = nullptr;  // null while the ask stands in another line
  uint32_t any_position = not_in_heap, own_position = not_in_heap, due_position = not_in_heap;
};

using reservation_slab = slab<reservation, small_page_bytes>;

struct awaited_part;

// A change, like those of model/changes.hpp. With sign 1, an ask that preempts begins to claim capacity in the queue.
// With sign -1, the ask no longer claims that capacity.
struct queue_awaited {
  const awaited_part &of;
  int sign;
};

// Reserved asks that count in one queue, or for one user or group there, by the amounts that they need of each type. So
// those that have no headroom any more are found without a look at the others.
class reserved_needs {
 public:
  void add(type_index type, int64_t need, reservation &r) {
    if (by_type_.size() <= type) by_type_.resize(type + 1);
    size_ += by_type_[type].emplace(std::pair(need, r.sequence), &r).second ? 1 : 0;
  }
  void remove(type_index type, int64_t need, const reservation &r) {
    if (type < by_type_.size()) size_ -= by_type_[type].erase({need, r.sequence});
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  // Calls f(reservation) for each that needs more than room(type) of some type, perhaps several times.
  template <class Room, class F>
  void for_each_beyond(Room &&room, F &&f) const {
    for (type_index t = 0; t < by_type_.size(); ++t) {
      if (by_type_[t].empty()) continue;
      const int64_t most = room(t);
      for (auto at = by_type_[t].rbegin(); at != by_type_[t].rend() && at->first.first > most; ++at) f(*at->second);
    }
  }

 private:
  std::vector<std::map<std::pair<int64_t, uint64_t>, reservation *>> by_type_;  // by need and sequence
  size_t size_ = 0;                                                             // of all types
};

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
struct reserved_unit {
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
