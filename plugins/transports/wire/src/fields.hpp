// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The tables that drive conversion and documentation: which field is which member.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tenon/wire/codec.hpp"

namespace tenon::wire {

enum class field_kind : uint8_t {
  text,
  i32,
  i64,
  flag,         // bool as 0 or 1
  number,       // enum whose numbers the dialects count differently
  open_number,  // enum of which any number passes
  pairs,        // map of strings
  amounts,      // Resource
  priority,     // a message in the first dialect, a number later
  preemption,
  user,      // UserGroupInformation: user, groups and their presence
  elements,  // allocations of a node
};

// The first dialect's number n is n + shift here; the later one counts as the ABI does.
struct numbers {
  uint32_t shift;
  uint32_t first_count;
  uint32_t later_count;
};

struct row {
  const char *first;  // the field's name in each dialect, or null
  const char *later;
  field_kind kind;
  uint32_t offset;
  uint32_t end;     // offset of the first byte behind the member and its count
  uint32_t second;  // elements: offset of the count
  const char *member;
  numbers counted;
  const char *use;  // what it changes; starts with "inert: " where it changes nothing
};

// A member for which messages of the first dialect have no field, and what it is in them.
struct implied {
  uint32_t offset;  // 0: there is none
  uint32_t value;
};

struct record {
  uint32_t type;
  uint32_t size;
  uint32_t least;   // a shorter message is refused; a sender may lack the members behind these bytes
  uint32_t detail;  // offset
  const char *structure;
  const char *first;  // the message's name in each dialect, or null
  const char *later;
  implied by_first;
  std::span<const row> rows;
};

std::span<const record> records();

// A field of a message that holds others; `inner` where it is a field of a message in it.
struct part {
  const char *outer;
  const char *inner;
};
struct slot {
  part where;
  uint32_t type;
  const char *message;
};
struct envelope {
  dialect spoken;
  const char *message;
  const char *rm;      // field, or null
  const char *resync;  // field of an action, or null
  std::span<const slot> slots;
};

std::span<const envelope> envelopes();

}  // namespace tenon::wire
