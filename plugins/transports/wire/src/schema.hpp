// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The tables of fields.hpp by field number, for reading and writing bytes.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "fields.hpp"
#include "tenon/wire/bytes.hpp"

namespace tenon::wire {

// Numbers up to 15 have a tag of one byte. Others go through protobuf.
inline constexpr uint32_t tagged = 16;

struct tagged_record;

struct tagged_field {
  const row *from = nullptr;  // null: no such field
  uint8_t tag = 0;
  bool by_protobuf = false;
  const tagged_record *element = nullptr;  // of elements
};

struct tagged_record {
  const resolved_record *from = nullptr;
  dialect spoken = dialect::first;
  std::array<tagged_field, tagged> fields;  // by number
};

struct tagged_slot {
  uint8_t tag = 0;
  const tagged_record *holds = nullptr;
};

// A field of an envelope: a list of parts, a message with such lists, the RM's name, or the resync action.
struct tagged_outer {
  enum class what : uint8_t { nothing, parts, holder, rm, resync };
  what is = what::nothing;
  uint8_t tag = 0;
  int rank = 0;                   // of parts, in effect
  std::array<int, tagged> inner;  // of a holder: rank by number, or -1
};

class schema {
 public:
  const google::protobuf::Message *prototype = nullptr;
  std::array<tagged_outer, tagged> fields;  // by number
  std::vector<tagged_slot> slots;           // by rank
  std::vector<uint8_t> holders;             // by rank: tag of the message around the list, or 0
  const resolved_envelope *from = nullptr;
  uint8_t resync_tag = 0;
};

}  // namespace tenon::wire
