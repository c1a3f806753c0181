// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A limit line holds the groups of one unit that wait for one limit, in the order of their applications, so that only
// the first one is looked at when the limit has free capacity again.
#pragma once

#include <array>
#include <cstdint>

#include "base/indexed_heap.hpp"
#include "model/leaf_class.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::internal {

enum class line_state : uint8_t {
  closed,  // the limit has no free capacity: the line is in a heap of the limit
  open,    // the line competes in its leaf
  aside,   // the limit had free capacity, but the unit is parked
};

// Its groups wait for one more application to be allowed, or for an amount of one type.
struct limit_line {
  leaf_class *unit = nullptr;
  queue *full_queue = nullptr;       // whose maxapplications is reached
  usage_node *full_limit = nullptr;  // or whose limit is; exactly one of the two is set
  type_index type = no_type;         // no_type: the groups wait for one more application
  int64_t amount = 1;
  line_state state = line_state::closed;
  uint32_t position = not_in_heap;  // in the heap that `state` names
  app_class_heap groups;            // never empty
};

struct limit_line_position {
  uint32_t &operator()(limit_line &a) const { return a.position; }
  const uint32_t &operator()(const limit_line &a) const { return a.position; }
};

struct less_needed {
  bool operator()(const limit_line &a, const limit_line &b) const { return a.amount < b.amount; }
};
struct amount_prefix {
  std::array<uint64_t, 1> operator()(const limit_line &a) const {
    return {static_cast<uint64_t>(a.amount ^ INT64_MIN)};
  }
};
using closed_lines = indexed_heap<limit_line, less_needed, limit_line_position, amount_prefix>;

// Lines whose first groups belong to one application are equal.
struct first_group_before {
  bool operator()(const limit_line &a, const limit_line &b) const {
    return app_class_before{}(*a.groups.top(), *b.groups.top());
  }
};
struct first_group_prefix {
  key_prefix operator()(const limit_line &a) const { return app_class_prefix{}(*a.groups.top()); }
};
using open_lines = indexed_heap<limit_line, first_group_before, limit_line_position, first_group_prefix>;

}  // namespace tenon::internal
