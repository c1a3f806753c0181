// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/placement_filter.hpp"

#include <algorithm>

#include "tenon/kernel/names.hpp"

namespace tenon {

bool looks_like_expression(std::string_view entry) {
  return entry.find_first_of("^$*+?()[{}|") != std::string_view::npos;
}

bool placement_filter::listed::has(std::string_view name) const {
  if (pattern) return pattern->matches(name);
  return std::binary_search(names.begin(), names.end(), name, std::less<>{});
}

result<placement_filter::listed> placement_filter::compile_list(const std::vector<std::string> &entries,
                                                                bool (*is_name)(std::string_view)) {
  listed out;
  if (entries.size() == 1 && looks_like_expression(entries[0])) {
    auto pattern = name_pattern::compile(entries[0]);
    if (!pattern) return pattern.why();
    out.pattern = std::move(*pattern);
    return out;
  }
  std::copy_if(entries.begin(), entries.end(), std::back_inserter(out.names),
               [&](const std::string &entry) { return is_name(entry); });
  std::sort(out.names.begin(), out.names.end());
  return out;
}

result<placement_filter> placement_filter::compile(const placement_filter_config &config) {
  placement_filter out;
  out.allow_ = config.allow;
  out.empty_ = config.users.empty() && config.groups.empty();
  auto users = compile_list(config.users, is_user_name);
  if (!users) return users.why();
  auto groups = compile_list(config.groups, is_group_name);
  if (!groups) return groups.why();
  out.users_ = std::move(*users);
  out.groups_ = std::move(*groups);
  return out;
}

template <class Groups>
bool placement_filter::decide(std::string_view user, const Groups &groups) const {
  if (empty_) return allow_;
  const bool found = users_.has(user) || std::any_of(groups.begin(), groups.end(),
                                                     [&](std::string_view group) { return groups_.has(group); });
  return found ? allow_ : !allow_;
}

bool placement_filter::accepts(std::string_view user, std::span<const std::string> groups) const {
  return decide(user, groups);
}

bool placement_filter::accepts(std::string_view user, std::span<const std::string_view> groups) const {
  return decide(user, groups);
}

}  // namespace tenon
