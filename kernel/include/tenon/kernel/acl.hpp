// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Access lists of queues: "*" | users [ " " groups ], both lists comma separated; a leading space means
// groups only. No deny entries. Empty is nobody.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/refusal.hpp"

namespace tenon {

struct acl {
  bool all = false;
  std::vector<std::string> users;    // sorted, unique
  std::vector<std::string> groups;   // sorted, unique
  std::vector<std::string> ignored;  // what was written as a name and is none, in the order of the text

  // The user is named, or one of its groups is. Names match exactly, letter case included.
  [[nodiscard]] bool allows(std::string_view user, std::span<const std::string> groups_of_user) const;
  [[nodiscard]] bool allows(std::string_view user, std::span<const std::string_view> groups_of_user) const;

  friend bool operator==(const acl &, const acl &) = default;
};

// Refused only where the text has more than two lists: more than one space, or more than two words however
// they are separated. (The field's validator counts words and its reader single spaces, so that two spaces
// pass the one and fail in the other; here both must agree.) Names that are none are ignored, as in the
// field. The refusal's `where` is the caller's to fill.
[[nodiscard]] result<acl> parse_acl(std::string_view text);

}  // namespace tenon
