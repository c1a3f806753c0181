// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "placement_rules.hpp"

#include "path.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/names.hpp"

namespace tenon::internal {

std::string build_rule(const placement_rule_config &config, std::unique_ptr<placement_rule> &out) {
  auto rule = std::make_unique<placement_rule>();
  rule->name = lower_case(config.name);
  rule->create = config.create;
  rule->value = lower_case(config.value);
  if (rule->name == "recovery") return messages::rule_recovery();
  if (rule->name != "provided" && rule->name != "user" && rule->name != "fixed" && rule->name != "tag") {
    return messages::rule_unknown(config.name);
  }
  if (rule->name == "tag" && rule->value.empty()) return messages::rule_tag_without_value();
  if (rule->name == "fixed") {
    if (rule->value.empty()) return messages::rule_fixed_without_value();
    if (!valid_path(rule->value)) return messages::queue_name_invalid();
    if (is_qualified(rule->value) && !config.parent.empty()) {
      return messages::rule_fixed_qualified_with_parent(rule->value);
    }
  }
  auto filter = placement_filter::compile(config.filter);
  if (!filter) return filter.why().text();
  rule->filter = std::move(*filter);
  if (!config.parent.empty()) {
    if (std::string problem = build_rule(config.parent.front(), rule->parent); !problem.empty()) return problem;
  }
  out = std::move(rule);
  return {};
}

}  // namespace tenon::internal
