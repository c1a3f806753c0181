// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Made-up event records and queries, how a sink is given them, and what it gives back.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "probe_table.hpp"
#include "subject.hpp"

namespace tenon::conformance {

struct made_event {
  // In the order of tenon_event_record.
  enum text : uint8_t { run, partition, object, reference, group, reason, message, application, queue, node };
  static constexpr size_t text_count = 10;

  uint32_t type = 0, change = 0, detail = 0;
  uint64_t id = 0, last_id = 0;
  int64_t timestamp_ns = 0;
  std::array<std::string, text_count> texts;
  std::vector<std::pair<std::string, int64_t>> resource;  // in the order of bytes
  bool operator==(const made_event &) const = default;

  // What differs first, for people; empty where nothing does.
  [[nodiscard]] std::string difference(const made_event &other) const;
};

// As a scheduler would tell them: ids from `first_id`, times that never go back and end about now.
std::vector<made_event> make_events(size_t count, const std::string &run, uint64_t first_id, dice &d);

// Conditions of a query; what is empty or 0 asks for nothing.
struct made_query {
  uint32_t types = 0;
  std::string run, partition, object, application, queue, node;
  int64_t since_ns = 0, until_ns = 0;
  uint64_t first_id = 0, last_id = 0, after = 0, limit = 0;
  [[nodiscard]] bool fits(const made_event &one) const;
};

struct emit_manner {
  bool guarded = false;  // all of the batch is read-only, ends at forbidden memory, and is gone after the call
  bool larger = false;   // records of a later host
};
// Retries for a while where it says RETRY. Skips the check where it declines.
void emit(const instance &to, std::span<const made_event> records, const emit_manner &how = {});
// Once: false where it says RETRY. Any other refusal fails the check.
bool is_taken(const instance &to, std::span<const made_event> records);

struct query_answer {
  std::vector<made_event> records;
  uint64_t next = 0;
  uint64_t after_enough = 0;  // records that came after the taker had enough
};
bool can_query(const instance &of);
// Skips the check where the sink cannot answer. `enough`: the taker has enough with so many; 0: never.
query_answer ask_for(const instance &of, const made_query &wanted, uint64_t enough = 0);

}  // namespace tenon::conformance
