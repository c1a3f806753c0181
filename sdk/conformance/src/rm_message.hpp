// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Messages between RMs and the scheduler, of whatever type: made by seed, and read as names and values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe_table.hpp"
#include "tenon/abi/rm_messages.h"

namespace tenon::conformance {

// "tenon_rm_ask" of TENON_RM_ASK; empty: there is no such message.
std::string_view message_name(uint32_t type);

// Types that RMs send in a session, and those that they are told.
std::span<const uint32_t> request_types();
std::span<const uint32_t> answer_types();

// The members of a message that are not absent, in words that are equal for equal values.
using message_values = std::map<std::string, std::string, std::less<>>;

struct read_message {
  uint32_t type = 0;
  message_values values;
};
read_message read_values(const tenon_rm_message *message);

// Members, "tenon_rm_ask.tags", members of these, "tenon_rm_ask.priority.name", and whole messages, "tenon_rm_ask".
class member_list {
 public:
  member_list() = default;
  explicit member_list(std::vector<std::string> names) : names_(std::move(names)) {}

  [[nodiscard]] bool has(std::string_view name) const;

 private:
  std::vector<std::string> names_;
};

// What `have` has otherwise than `want`, but for members that `lacks` names; empty: nothing.
std::string difference(const read_message &want, const read_message &have, const member_list &lacks);

enum class fullness : uint8_t { least, full, some };

// A message and all that it points to.
class made_message {
 public:
  // `key`: of what it is about: a part of all its texts. `detail`: what it has of that, where it has any.
  made_message(uint32_t type, fullness how, const std::string &key, const std::string &detail, dice &d);

  [[nodiscard]] const tenon_rm_message *get() const {
    return reinterpret_cast<const tenon_rm_message *>(struct_.data());
  }
  [[nodiscard]] read_message values() const { return read_values(get()); }

  // Sets a text member; fails the check where there is none of that name.
  void set(std::string_view member, std::string value);

 private:
  struct parts;
  std::vector<std::byte> struct_;
  std::shared_ptr<parts> parts_;
};

}  // namespace tenon::conformance
