// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/acl.hpp"

#include <algorithm>

#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/names.hpp"

namespace tenon {

namespace {

constexpr std::string_view blanks = " \t\n\v\f\r";

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

size_t count_text(std::string_view text) {
  size_t words = 0;
  for (size_t at = text.find_first_not_of(blanks); at != std::string_view::npos; ++words) {
    at = text.find_first_of(blanks, at);
    if (at != std::string_view::npos) at = text.find_first_not_of(blanks, at);
  }
  return words;
}

void take_names(std::string_view list, bool (*is_name)(std::string_view), std::vector<std::string> &names,
                std::vector<std::string> &ignored) {
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const std::string_view name = list.substr(0, comma);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    if (name.empty()) continue;
    (is_name(name) ? names : ignored).emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

template <class Groups>
bool allows_any(const acl &list, std::string_view user, const Groups &groups_of_user) {
  if (list.all || std::binary_search(list.users.begin(), list.users.end(), user, std::less<>{})) return true;
  return std::any_of(groups_of_user.begin(), groups_of_user.end(), [&](std::string_view group) {
    return std::binary_search(list.groups.begin(), list.groups.end(), group, std::less<>{});
  });
}

}  // namespace

bool acl::allows(std::string_view user, std::span<const std::string> groups_of_user) const {
  return allows_any(*this, user, groups_of_user);
}

bool acl::allows(std::string_view user, std::span<const std::string_view> groups_of_user) const {
  return allows_any(*this, user, groups_of_user);
}

result<acl> parse_acl(std::string_view text) {
  acl out;
  const std::string_view words = trim(text);
  if (words.empty()) return out;
  const auto spaces = std::count(text.begin(), text.end(), ' ');
  if (spaces > 1 || count_text(words) > 2) {
    return refusal{{},
                   "'*', or users and groups: user1,user2 group1,group2",
                   messages::acl_spaces(text),
                   "separate names by commas, and users from groups by one space"};
  }
  if (words == wildcard) {
    out.all = true;
    return out;
  }
  const size_t space = text.find(' ');
  const std::string_view users = text.substr(0, space);
  const std::string_view groups = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
  if (users == wildcard || groups == wildcard) {
    out.all = true;
    return out;
  }
  take_names(users, is_user_name, out.users, out.ignored);
  take_names(groups, is_group_name, out.groups, out.ignored);
  return out;
}

}  // namespace tenon
