// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Access lists: "*", or users, or users and groups after a space.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tenon::naive {

struct acl {
  bool everybody = false;
  std::vector<std::string> users, groups;

  [[nodiscard]] bool allows(const std::string &user, const std::vector<std::string> &of_groups) const;
};

// Nothing when the text has more than two fields.
[[nodiscard]] std::optional<acl> parse_acl(const std::string &text);

[[nodiscard]] std::vector<std::string> split(const std::string &text, char at);

}  // namespace tenon::naive
