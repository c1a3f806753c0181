// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Parked unit: what asks of one class in one leaf wait for together. It stands in one list or heap, and knows where.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/indexed_heap.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::internal {

struct application;
struct queue;

// What an ask of a unit may do, beside being placed.
enum class unit_kind : uint8_t {
  plain,           // nothing: its reservation delay is not over
  reserves,        // reserve a node
  preempts,        // try to preempt. Such a unit is parked only where its leaf keeps the order
  reserved,        // take the node and the headroom that are kept for it, or for its gang
  waits_in_order,  // take the node that is kept for it, if nobody in its leaf keeps it back
};

[[nodiscard]] inline bool is_reserved(unit_kind kind) {
  return kind == unit_kind::reserved || kind == unit_kind::waits_in_order;
}

// Which unit of a leaf, among those of asks that stand in ask_line::run.
struct unit_id {
  uint32_t class_id = 0;
  unit_kind kind = unit_kind::plain;
  friend bool operator==(const unit_id &, const unit_id &) = default;
};

enum class parking : uint8_t {
  none,
  queue_headroom,    // of parked_type in parked_queue
  nodes,             // one that holds the class now
  reservable_nodes,  // that, or one that may be reserved for it
  other_places,      // for those of its gang that took the only room for it
};

struct parked_unit {
  queue *leaf = nullptr;
  uint32_t class_id = 0;
  parking parked = parking::none;
  type_index parked_type = no_type;
  queue *parked_queue = nullptr;
  int64_t parked_amount = 0;               // of headroom that it waits for
  uint32_t parked_position = not_in_heap;  // among those that wait for headroom there
  size_t parked_slot = 0;                  // in the list of those that wait for nodes
  uint32_t slot_in_leaf = not_in_heap;     // among the parked ones of a leaf that keeps the order
  application *gang = nullptr;             // this is no unit: the gang of this application waits as a whole
};

// Those that wait for headroom of one type in one queue: who needs least is first.
struct parked_before {
  bool operator()(const parked_unit &a, const parked_unit &b) const { return a.parked_amount < b.parked_amount; }
};
struct parked_position {
  uint32_t &operator()(parked_unit &a) const { return a.parked_position; }
  const uint32_t &operator()(const parked_unit &a) const { return a.parked_position; }
};
struct parked_prefix {
  std::array<uint64_t, 1> operator()(const parked_unit &a) const {
    return {static_cast<uint64_t>(a.parked_amount ^ INT64_MIN)};
  }
};
using headroom_line = indexed_heap<parked_unit, parked_before, parked_position, parked_prefix>;

}  // namespace tenon::internal
