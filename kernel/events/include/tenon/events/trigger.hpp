// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What is recorded when: one row for each record that a fact leads to. The same table makes the records and the table
// in docs/events.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tenon/abi/event_sink.h"
#include "tenon/kernel/facts.hpp"

namespace tenon::events {

// The field of a fact that a record takes over.
enum class source : uint8_t { none, application, key, node, queue, user, group, partition };

// How the number of a record's detail is found.
enum class detail_by : uint8_t { number, state, release, ask_end, queue_kind, hold };

// ADD or REMOVE, or SET or REMOVE, as the fact's flag says.
inline constexpr uint32_t add_by_flag = 100, set_by_flag = 101;

struct trigger {
  fact_kind kind;
  std::string_view when;  // for people
  uint32_t type;          // TENON_EVENT_*
  source object, reference;
  uint32_t change;  // TENON_EVENT_*, add_by_flag, set_by_flag
  detail_by rule;
  uint32_t detail;           // where the rule is `number`
  std::string_view reason;   // the earlier interface's, one word
  source group;              // groupID of the earlier interface
  std::string_view message;  // {field}s of the fact are filled in
  bool resource;             // the fact's amounts are the record's
  bool only_with_group;      // nothing where the application counts for no group
};

// In the order of fact_kind; rows of one kind follow each other.
[[nodiscard]] std::span<const trigger> triggers();
[[nodiscard]] std::span<const trigger> triggers_of(fact_kind kind);

// The number of records that the fact leads to; cheap.
[[nodiscard]] uint32_t record_count(const fact &what);

// The interface's name of a detail's number, "" where it has none.
[[nodiscard]] std::string_view detail_name(uint32_t detail);
[[nodiscard]] std::string_view type_name(uint32_t type);
[[nodiscard]] std::string_view change_name(uint32_t change);
[[nodiscard]] std::string_view source_name(source s);

// The table of docs/events.md, rows only.
[[nodiscard]] std::string trigger_table();

}  // namespace tenon::events
