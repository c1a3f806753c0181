// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "policies/placement_rules.hpp"

#include <algorithm>

#include "base/module_text.hpp"
#include "base/path.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/names.hpp"

namespace tenon::internal {
namespace {

tenon_text text(std::string_view s) { return {s.data(), s.size()}; }

// What the format demands of the rules that it knows, in the field's words.
std::string problem_of(std::string_view name, const std::string &value, bool has_parent) {
  if (name == "recovery") return messages::rule_recovery();
  if (name == "tag" && value.empty()) return messages::rule_tag_without_value();
  if (name != "fixed") return {};
  if (value.empty()) return messages::rule_fixed_without_value();
  if (!valid_path(value)) return messages::queue_path_invalid(value);
  if (is_qualified(value) && has_parent) return messages::rule_fixed_qualified_with_parent(value);
  return {};
}

std::string configuration_of(std::string_view value) {
  if (value.empty()) return "{}";
  constexpr std::string_view hex = "0123456789abcdef";
  std::string out = "{\"value\":\"";
  for (const char c : value) {
    if (const auto code = static_cast<unsigned char>(c); code < 0x20) {
      out += {'\\', 'u', '0', '0', hex[code >> 4], hex[code & 15]};
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + "\"}";
}

}  // namespace

std::string build_rule(const placement_rule_config &config, rule_source &rules, uint32_t max_resource_types,
                       std::unique_ptr<placement_rule> &out) {
  auto rule = std::make_unique<placement_rule>();
  rule->name = lower_case(config.name);
  rule->create = config.create;
  rule->value_length = config.value.size();
  if (rule->name != "recovery" && !rules.provides(rule->name)) return messages::rule_unknown(config.name);
  std::string problem = problem_of(rule->name, lower_case(config.value), !config.parent.empty());
  if (!problem.empty()) return problem;
  auto filter = placement_filter::compile(config.filter);
  if (!filter) return filter.why().text();
  rule->filter = std::move(*filter);
  problem = rules.bind(rule->name, configuration_of(config.value), max_resource_types, rule->bound);
  if (!problem.empty()) return problem;
  if (!config.parent.empty()) {
    problem = build_rule(config.parent.front(), rules, max_resource_types, rule->parent);
    if (!problem.empty()) return problem;
  }
  out = std::move(rule);
  return {};
}

std::string build_rules(std::vector<placement_rule_config> wanted, rule_source &rules, uint32_t max_resource_types,
                        std::vector<std::unique_ptr<placement_rule>> &out) {
  if (wanted.empty()) wanted.emplace_back().name = "provided";
  for (const placement_rule_config &rule : wanted) {
    std::string problem = build_rule(rule, rules, max_resource_types, out.emplace_back());
    if (!problem.empty()) return problem;
  }
  return {};
}

placement_request::placement_request(const tenon::add_application &c, const tenon_queue_tree &queues, int64_t now_ms)
    : application_(c), longest_(std::max({c.application.size(), c.queue.size(), c.user.size()})) {
  const auto add = [&](std::vector<tenon_text> &to, std::string_view one) {
    to.push_back(text(one));
    longest_ = std::max(longest_, one.size());
  };
  for (const std::string_view group : c.groups) add(groups_, group);
  for (const named_text &tag : c.tags) {
    add(tag_names_, tag.key);
    add(tag_values_, tag.value);
  }
  in_ = {sizeof in_,          static_cast<uint32_t>(groups_.size()),
         text(c.application), text(c.queue),
         text(c.user),        groups_.data(),
         tag_names_.data(),   tag_values_.data(),
         tag_names_.size(),   &queues,
         TENON_WORLD_LIVE,    now_ms};
}

placement_request::answer placement_request::ask(const placement_rule &rule) {
  // Five times: a text of dots alone becomes so much longer as one level.
  answer said;
  if (rule.bound == nullptr) {
    said.fault = true;
    return said;
  }
  room_.resize(std::max<size_t>(TENON_PLACE_NAME_ROOM, 5 * std::max(longest_, rule.value_length)));
  module_text words;
  tenon_place_out out{sizeof out, 0, room_.data(), room_.size(), 0, words.room()};
  const tenon_status status = rule.bound->placement->place(rule.bound->instance, &in_, &out);
  if (status == TENON_INVALID_CONFIG) {
    said.refused = messages::rule_refused(rule.name, words.readable());
  } else if (status == TENON_OK) {
    return checked(room_.substr(0, out.name_length), out.qualified != 0);
  } else {
    said.fault = status != TENON_DECLINED;
  }
  return said;
}

placement_request::answer placement_request::checked(std::string name, bool qualified) {
  if (name.empty()) return {};
  if (qualified && !is_qualified(lower_case(name))) return {{}, false, {}, true};
  if (!valid_path(name)) return {{}, false, messages::queue_path_invalid(name), false};
  return {std::move(name), qualified, {}, false};
}

}  // namespace tenon::internal
