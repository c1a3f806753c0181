// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The scheduler interface's protobuf messages as the structs of the ABI, and back, in both dialects.
#pragma once

#include <google/protobuf/message.h>

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string>
#include <utility>
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
class room {
 public:
  std::pmr::monotonic_buffer_resource &memory() { return memory_; }
  void clear() {
    memory_.release();
    messages_.clear();
  }

  // What a batch has views of may stay here.
  google::protobuf::Message &keep(std::unique_ptr<google::protobuf::Message> message) {
    return *messages_.emplace_back(std::move(message));
  }

 private:
  std::pmr::monotonic_buffer_resource memory_{16384};
  std::vector<std::unique_ptr<google::protobuf::Message>> messages_;
};

// The dialect that a message type belongs to.
dialect dialect_of(const google::protobuf::Message &message);

// Fills `out` with views of `message` and of `into`, which must both outlive it. False with a refusal that names the
// place, but no value other than a number.
bool read(const google::protobuf::Message &message, room &into, batch &out, std::string &refusal);

// Writes a batch as a message of the type of `out`. A member that the dialect has no field for is left out; a message
// that has no place in `out` is refused.
bool write(const batch &from, google::protobuf::Message &out, std::string &refusal);

// One line for a log: without fields marked si_secret or secret, and without those that are unknown, which might be.
std::string log_line(const google::protobuf::Message &message);

// The tables of docs/interface.md: for each field where it goes and what it does.
std::string fields_page();

}  // namespace tenon::wire
