// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Allocations, and those to be: replacements of placeholders, and what the resource manager is asked about.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "model/ask.hpp"
#include "model/device_records.hpp"
#include "model/object_names.hpp"
#include "model/owned_state.hpp"
#include "model/reserved_units.hpp"

namespace tenon::internal {

struct allocation {
  uint32_t index = 0;
  bool live = false;
  bool placeholder = false, originator = false, foreign = false;
  bool preempt_self = true, bound = false;  // bound: to a node that its ask required
  bool replaced = false;                    // it took the place of a placeholder
  owned_state<allocation_state, allocation> state;
  int32_t priority = 0;
  application *owner = nullptr;  // null when foreign
  node *where = nullptr;
  ask *from = nullptr;  // null when foreign
  uint64_t sequence = 0;
  uint32_t class_id = 0;         // of the resources
  uint32_t node_slot = 0;        // position in the node's list
  uint32_t devices = no_record;  // that it holds
  int64_t create_time_ms = 0, bind_time_ms = 0;
  int64_t placeholder_created_ms = 0;              // of the one that it replaced
  task_group *gang = nullptr;                      // null without task group
  owned<replacement *, allocation> under_way;      // of a placeholder that is Replacing, else null
  owned<replacement *, allocation> offered;        // that is proposed in its place, or null
  std::unique_ptr<const std::string> foreign_key;  // null unless foreign

  [[nodiscard]] std::string_view key() const { return from != nullptr ? from->key.view() : *foreign_key; }
};
struct sequence_before {
  bool operator()(const allocation &a, const allocation &b) const { return a.sequence < b.sequence; }
};

// What an allocation takes over from its ask, or from what the RM reports.
struct allocation_terms {
  uint32_t class_id = 0;
  int32_t priority = 0;
  bool placeholder = false, originator = false, preempt_self = true, bound = false;
  task_group *gang = nullptr;
  int64_t create_time_ms = 0, execution_timeout_ms = 0;
};

// An allocation to be, on the terms of when it was decided: made when its placeholder is gone. On another node
// than the placeholder's it takes room there meanwhile.
struct replacement {
  uint32_t index = 0;
  bool live = false;
  allocation *placeholder = nullptr;
  ask *real = nullptr;
  node *where = nullptr;
  allocation_terms terms;
  uint32_t devices = no_record;  // that it is to have, and holds already where it takes room
  uint64_t number = 0;           // while it is proposed

  [[nodiscard]] bool elsewhere() const { return where != placeholder->where; }
};

// What the RM has not answered yet: an allocation in state Proposed, or a replacement.
struct proposal {
  uint64_t number = 0;
  allocation *made = nullptr;
  replacement *instead = nullptr;
  int64_t execution_timeout_ms = 0;
  std::optional<way_to_room> reserved = {};  // a reservation of the ask ended with it, on its node

  [[nodiscard]] ask &of() const { return made != nullptr ? *made->from : *instead->real; }
  [[nodiscard]] node &where() const { return made != nullptr ? *made->where : *instead->where; }
  [[nodiscard]] bool is_placeholder() const { return made != nullptr && made->placeholder; }
};

// Where a proposal is found, and its deadline.
struct open_proposal {
  application *owner = nullptr;
  uint32_t armed = 0;         // how often it was armed
  bool has_deadline = false;  // the last one is in force
};

}  // namespace tenon::internal
