// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The scheduler interface's protobuf messages, in both dialects, as the structs of the ABI and back: bytes to structs
// and structs to bytes, without protobuf objects in between.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/abi/rm_messages.h"

namespace tenon::wire {

// si.v1, and the one schema of all later clients. Messages of tenon.v1, which both kinds of RMs send, are read and
// written as later ones.
enum class dialect : uint8_t { first, later };

// What one protobuf message says. A request or answer of a stream has any number of messages, in the order in which
// they take effect: applications, nodes, changes of nodes, asks, allocations, releases, removals. A message that stands
// for itself, like a registration, is one.
struct batch {
  tenon_text rm{};  // where the message names it beside its parts
  std::vector<const tenon_rm_message *> messages;
  tenon_text detail{};  // what the message around the parts had that these structs do not know
};

// Where structs and arrays of a batch live. One of its own per thread; clear() keeps nothing valid.
class arena {
 public:
  std::pmr::monotonic_buffer_resource &memory() { return memory_; }
  void clear() { memory_.release(); }

 private:
  std::pmr::monotonic_buffer_resource memory_{16384};
};

class schema;

// A message type of a dialect; lives as long as the process. Throws std::logic_error where there is none.
const schema &schema_of(dialect spoken, std::string_view message);

// Fills `out` with views of `bytes` and of `into`, which must both outlive it. Takes what protobuf's own parser takes:
// fields that the schema does not know become `detail`, and a message that comes twice is one. False with a refusal for
// bytes that are no such message, and for a number that nobody defined, whose place it names.
bool read(const schema &of, std::string_view bytes, arena &into, batch &out, std::string &refusal);

// Appends a message that says what the batch says. A member that the dialect has no field for is left out; a part that
// has no place in the message is refused. On false nothing was appended.
bool write(const schema &of, const batch &from, std::string &bytes, std::string &refusal);

// Appends one part to a serialised message of this type; the result is one message again. On false nothing was
// appended.
bool append(const schema &of, const tenon_rm_message *part, std::string &bytes, std::string &refusal);

// The place of a message's type in the order in which the parts of one message take effect; none: -1.
int rank_of(const schema &of, uint32_t type);

// The tables of docs/interface.md: for each field where it goes and what it does.
std::string fields_page();

}  // namespace tenon::wire
