// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules.hpp"

#include <algorithm>
#include <regex>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/names.hpp"

namespace tenon::naive {
namespace {

bool is_full_path(const std::string &name) { return name == "root" || name.starts_with("root."); }

bool valid_parts(const std::string &path) {
  const std::vector<std::string> parts = split(path, '.');
  return std::all_of(parts.begin(), parts.end(), is_queue_name);
}

std::string without_dots(const std::string &name) {
  std::string out;
  for (const char c : name) out += c == '.' ? std::string("_dot_") : std::string(1, c);
  return out;
}

// An entry that is no name of its kind names nobody, whoever is called so.
bool names(const std::vector<std::string> &list, const std::string &name, bool (*is_name)(std::string_view)) {
  if (list.size() == 1 && list[0].find_first_of("^$*+?()[{}|") != std::string::npos) {
    return std::regex_search(name, std::regex(list[0]));
  }
  return is_name(name) && std::find(list.begin(), list.end(), name) != list.end();
}

bool passes(const placement_filter_config &filter, const application &a) {
  if (filter.users.empty() && filter.groups.empty()) return filter.allow;
  const bool named = names(filter.users, a.user, is_user_name) ||
                     std::any_of(a.groups.begin(), a.groups.end(),
                                 [&](const auto &group) { return names(filter.groups, group, is_group_name); });
  return named == filter.allow;
}

// The name that the rule makes of the application.
std::string own_name(const placement_rule_config &rule, const application &a) {
  if (rule.name == "provided") return a.queue;
  if (rule.name == "user") return a.user;
  if (rule.name == "tag") return tag_of(a.tags, rule.value);
  return lower(rule.value);
}

}  // namespace

bool is_queue_name(const std::string &name) {
  static const std::regex valid("^[a-zA-Z0-9_:#/@-]{1,64}$");
  return std::regex_match(name, valid);
}

std::string rule_problem(const placement_rule_config &rule) {
  if (rule.name == "recovery") return messages::rule_recovery();
  if (rule.name != "provided" && rule.name != "user" && rule.name != "tag" && rule.name != "fixed") {
    return messages::rule_unknown(rule.name);
  }
  if (rule.name == "tag" && rule.value.empty()) return messages::rule_tag_without_value();
  if (rule.name == "fixed") {
    if (rule.value.empty()) return messages::rule_fixed_without_value();
    if (!valid_parts(rule.value)) return messages::queue_path_invalid(lower(rule.value));
    if (is_full_path(lower(rule.value)) && !rule.parent.empty()) {
      return messages::rule_fixed_qualified_with_parent(rule.value);
    }
  }
  return rule.parent.empty() ? std::string() : rule_problem(rule.parent.front());
}

placement place_by(const placement_rule_config &rule, const application &a, const queue_lookup &find) {
  if (!passes(rule.filter, a)) return {};
  const bool fixed = rule.name == "fixed";
  std::string path = own_name(rule, a);
  if (path.empty()) return {};
  if (fixed ? is_full_path(path) : path.starts_with("root.")) {
    if (!valid_parts(path)) return {{}, messages::queue_path_invalid(path)};
  } else {
    if (!fixed) path = without_dots(path);
    if (!valid_parts(path)) return {{}, messages::queue_path_invalid(path)};
    std::string parent = "root";
    if (!rule.parent.empty()) {
      const placement above = place_by(rule.parent.front(), a, find);
      if (above.path.empty()) return above;
      parent = above.path;
      const queue *q = find(lower(parent));
      if (q != nullptr && q->leaf) return {{}, messages::parent_rule_gave_leaf(lower(parent))};
    }
    path = parent + "." + path;
  }
  if (!rule.create && find(lower(path)) == nullptr) return {};
  return {path, {}};
}

}  // namespace tenon::naive
