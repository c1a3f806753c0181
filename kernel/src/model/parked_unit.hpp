// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Parked unit: what asks of one class in one leaf wait for together. It stands in one list, and knows where.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tenon/kernel/resources.hpp"

namespace tenon::internal {

struct queue;

enum class parking : uint8_t {
  none,
  queue_headroom,    // of parked_type in parked_queue
  nodes,             // one that holds the class now
  reservable_nodes,  // that, or one that may be reserved for it
};

struct parked_unit {
  queue *leaf = nullptr;
  uint32_t class_id = 0;
  bool reserved = false;  // a reserved_unit, else a leaf_class
  parking parked = parking::none;
  type_index parked_type = no_type;
  queue *parked_queue = nullptr;
  size_t parked_slot = 0;  // in the list that it stands in
};

}  // namespace tenon::internal
