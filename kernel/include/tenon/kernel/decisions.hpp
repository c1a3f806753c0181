// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Decisions: what a kernel says to resource managers, in order, each a fixed-size fact of handles.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/commands.hpp"

namespace tenon {

enum class decision_kind : uint8_t {
  rm_registered,
  rm_rejected,
  configured,
  configuration_rejected,
  application_accepted,
  application_rejected,
  application_state,
  ask_rejected,
  ask_released,
  allocated,
  released,
  allocation_rejected,
  node_accepted,
  node_rejected,
  node_update_rejected,
  reserved,
  unreserved,
  container_state,  // SKIPPED or FAILED in `text`; `allocated` and `reserved` say the rest
  proposed,         // a placement that the RM is to check
  undone,           // one that was proposed, but for those that follow as `allocated` or a placeholder's `released`
};

// The name that decisions files and messages use, e.g. "allocated".
[[nodiscard]] std::string_view name(decision_kind);
// The name of the interface constant, e.g. "PREEMPTED_BY_SCHEDULER".
[[nodiscard]] std::string_view name(termination);

// A decision with its names. Views live until the next command is applied.
struct decision_view {
  uint64_t sequence = 0;  // from 1, contiguous in one kernel
  int64_t now_ms = 0;
  decision_kind kind = decision_kind::allocated;
  termination why = termination::unknown;  // releases
  bool placeholder = false;
  uint64_t allocation_sequence = 0;  // allocations and releases: counts the allocations of the partition
  std::string_view rm;
  std::string_view partition;  // [rm]name
  std::string_view application;
  std::string_view key;
  std::string_view node;
  std::string_view queue;
  std::string_view text;  // reason, message or state
  // Allocations and releases: the devices that it holds, as "gpu=500@0,3"; changes of state: the reason.
  std::string_view detail;
  bool existing = false;  // of `allocated`: the RM reported it, and it runs already

  // The kernel's own, for kernel::describe(): whose it is, and the ask or allocation that it is about.
  const void *source = nullptr;
  const void *subject = nullptr;
  bool about_allocation = false;
};

// What an ask or allocation is beside its names: what answers to resource managers carry. Looked up by
// kernel::describe() for those who want it. One that is used again keeps its memory, so that nothing is allocated.
struct placement_view {
  std::vector<named_amount> resources;  // of one allocation, in the order in which the types came to the partition
  std::vector<named_text> tags;         // of the ask, ascending by key
  int32_t priority = 0;
  std::string_view priority_class;  // as the ask was sent; empty: it named none
  std::string_view task_group, required_node;
  bool placeholder = false, originator = false, allow_preempt_self = true, allow_preempt_other = false;
  int32_t max_allocations = 0;                                             // of the ask
  int64_t create_time_ms = 0, bind_time_ms = 0, execution_timeout_ms = 0;  // bind time: of allocations
  // Of `proposed` in the place of a placeholder: that one's number and key, and whether it is on the same node.
  uint64_t replaces = 0;
  std::string_view replaces_key;
  bool in_place = false;
};

// One line without a line end, stable for ever: fields separated by tabs, empty ones as "-"; an empty detail,
// the last of them, is left out.
[[nodiscard]] std::string format(const decision_view &);

// The UUID of an allocation: derived from partition, application, key and sequence alone.
[[nodiscard]] std::string allocation_uuid(const decision_view &);
// The same, written without a terminator.
inline constexpr size_t uuid_length = 36;
void write_allocation_uuid(const decision_view &, std::span<char, uuid_length> out);

}  // namespace tenon
