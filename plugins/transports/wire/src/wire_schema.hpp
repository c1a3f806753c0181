// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The tables of fields.hpp by field number, for reading and writing.
#pragma once

#include <google/protobuf/descriptor.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "fields.hpp"
#include "tenon/wire/codec.hpp"

namespace tenon::wire {

// Numbers up to 15 have a tag of one byte; the interface has no others.
inline constexpr uint32_t tagged_numbers = 16;
inline constexpr uint32_t most_inside = 4;

struct tagged_record;

struct tagged_field {
  const row *from = nullptr;  // null: no such field
  uint8_t tag = 0;
  uint8_t inside = 0;  // of a message that is no list: its place among tagged_record::inside
  bool is_inside = false;
  const tagged_record *element = nullptr;  // of elements
  std::string name;
};

struct tagged_record {
  const record *from = nullptr;
  dialect spoken = dialect::first;
  std::string name;                                 // of the message
  std::array<tagged_field, tagged_numbers> fields;  // by number
  std::array<const tagged_field *, most_inside> inside{};
  const row *elements = nullptr;  // at most one
  std::string blank;              // the struct of a message with nothing in it

  [[nodiscard]] const tagged_field *known(uint32_t tag) const {
    const tagged_field &at = fields[tag >> 3 & (tagged_numbers - 1)];
    return at.tag == tag ? &at : nullptr;
  }
};

struct tagged_slot {
  uint8_t tag = 0;
  uint8_t holder = 0;  // tag of the message around the list, or 0
  const tagged_record *holds = nullptr;
  std::string place;
};

// A field of an envelope: a list of parts, a message with such lists, the RM's name, or the resync action.
struct tagged_outer {
  enum class what : uint8_t { nothing, parts, holder, rm, resync };
  what is = what::nothing;
  uint8_t tag = 0;
  int rank = 0;                             // of parts, in effect
  std::array<int, tagged_numbers> inner{};  // of a holder: rank by number, or -1
};

class schema {
 public:
  std::string name;                                 // of the message
  const tagged_record *alone = nullptr;             // of a message that stands for itself; all else is of the others
  std::array<tagged_outer, tagged_numbers> fields;  // by number
  std::vector<tagged_slot> slots;                   // by rank
  uint8_t rm_tag = 0;
  uint8_t resync_tag = 0;
  std::string resync_name;

  [[nodiscard]] const tagged_outer *known(uint32_t tag) const {
    const tagged_outer &at = fields[tag >> 3 & (tagged_numbers - 1)];
    return at.tag == tag ? &at : nullptr;
  }
};

const google::protobuf::Descriptor *message_named(dialect spoken, std::string_view name);

}  // namespace tenon::wire
