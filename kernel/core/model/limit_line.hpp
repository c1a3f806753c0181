// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A limit line holds groups of one unit that wait because a limit is reached, in the order of their applications, so
// that only the first one is looked at when the limit has free capacity again. The same limits apply to all of them.
#pragma once

#include <array>
#include <cstdint>

#include "base/indexed_heap.hpp"
#include "model/leaf_class.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::internal {

enum class line_state : uint8_t {
  closed,  // a limit is reached: the line is in a heap of this limit
  open,    // the line competes in its leaf
  aside,   // no limit is reached, but the unit is parked
};

// What tells lines of one unit apart. A line whose groups wait for a maxapplications of a queue alone has none of it.
struct line_terms {
  usage_node *user = nullptr, *group = nullptr;  // whose limits apply
  bool needs_queue_place = false;                // to be one of the applications that run in the queues
  bool needs_limit_place = false;                // to be one of those that run for the user and the group
  friend bool operator==(const line_terms &, const line_terms &) = default;
};

// A limit that is reached: the maxapplications of a queue, or the maxapplications or an amount of a user or group.
struct reached_limit {
  queue *in = nullptr;
  usage_node *of = nullptr;   // exactly one of the two is set, or none: no limit is reached
  type_index type = no_type;  // no_type: maxapplications
  int64_t amount = 0;         // that a group needs of the type

  [[nodiscard]] bool is_none() const { return in == nullptr && of == nullptr; }
};

struct limit_line {
  leaf_class *unit = nullptr;
  line_terms terms;
  line_state state = line_state::closed;
  reached_limit closed_by;          // while closed
  uint32_t position = not_in_heap;  // in the heap that `state` names
  app_class_heap groups;            // never empty
};

struct limit_line_position {
  uint32_t &operator()(limit_line &a) const { return a.position; }
  const uint32_t &operator()(const limit_line &a) const { return a.position; }
};

struct less_needed {
  bool operator()(const limit_line &a, const limit_line &b) const { return a.closed_by.amount < b.closed_by.amount; }
};
struct amount_prefix {
  std::array<uint64_t, 1> operator()(const limit_line &a) const {
    return {static_cast<uint64_t>(a.closed_by.amount ^ INT64_MIN)};
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
