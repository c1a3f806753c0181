// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "acl.hpp"

#include <algorithm>

namespace tenon::naive {
namespace {

bool contains(const std::vector<std::string> &all, const std::string &one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

std::vector<std::string> names_of(const std::string &list) {
  std::vector<std::string> out;
  for (const std::string &name : split(list, ',')) {
    if (!name.empty()) out.push_back(name);
  }
  return out;
}

}  // namespace

std::vector<std::string> split(const std::string &text, char at) {
  std::vector<std::string> out{std::string()};
  for (const char c : text) {
    if (c == at) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

bool acl::allows(const std::string &user, const std::vector<std::string> &of_groups) const {
  return everybody || contains(users, user) ||
         std::any_of(of_groups.begin(), of_groups.end(),
                     [&](const std::string &group) { return contains(groups, group); });
}

std::optional<acl> parse_acl(const std::string &text) {
  const std::vector<std::string> fields = split(text, ' ');
  if (fields.size() > 2) return std::nullopt;
  acl out;
  out.everybody = fields[0] == "*" || (fields.size() == 2 && fields[1] == "*");
  out.users = names_of(fields[0]);
  if (fields.size() == 2) out.groups = names_of(fields[1]);
  return out;
}

}  // namespace tenon::naive
