// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Decisions: what a kernel says to resource managers, in order, each a fixed-size fact of handles.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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
  std::string_view text;    // reason, message or state
  std::string_view detail;  // allocations and releases: the devices that it holds, as "gpu=500@0,3"
};

// One line without a line end, stable for ever: fields separated by tabs, empty ones as "-"; an empty detail,
// the last of them, is left out.
[[nodiscard]] std::string format(const decision_view &);

// The UUID of an allocation: derived from partition, application, key and sequence alone.
[[nodiscard]] std::string allocation_uuid(const decision_view &);

}  // namespace tenon
