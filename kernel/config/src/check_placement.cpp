// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Placement rules and the order of nodes.
#include <algorithm>

#include "policy_names.hpp"
#include "queues_source.hpp"
#include "static_path.hpp"
#include "tenon/config/shape.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/name_pattern.hpp"
#include "tenon/kernel/names.hpp"
#include "tenon/kernel/placement_filter.hpp"

namespace tenon::config {

namespace {

constexpr std::string_view tag_rule = "tag";
constexpr std::string_view recovery_rule = "recovery";

class placement_checker {
 public:
  placement_checker(const parse_options &options, problems &report) : options_(options), report_(report) {}

  void check_rule(const rule_source &rule) {
    if (!may_name_rule(rule.name)) {
      report_.refuse(rule.place_of("name"), "invalid rule name " + rule.name + ", a name must be a valid identifier",
                     "a letter or '_', then letters, digits and '_'",
                     suggest(options_.known, module_kind::placement_rule, rule.name));
    }
    for (const rule_source &parent : rule.parent) check_rule(parent);
    check_filter(rule);
  }

  // What makes a rule impossible to build. The field says so only when the configuration is activated.
  void check_kind(const rule_source &rule) {
    if (may_name_rule(rule.name)) check_named_kind(rule);
    for (const rule_source &parent : rule.parent) check_kind(parent);
  }

  void check_target(const partition_source &partition, const rule_source &rule, size_t number) {
    const static_path path = static_path_of(rule);
    if (path.illegal != nullptr) {
      report_.refuse(path.illegal->place_of("value"),
                     "illegal fully qualified 'fixed' rule with value " + path.illegal->value,
                     "'root' only in the innermost parent", "write the part below the parent rule's queue");
      return;
    }
    if (!path.path.starts_with(root_queue_name)) return;
    // The field compares names as they are written and places by names in lower case. What one of the two views
    // accepts is no reason to refuse; what only the first accepts will never match.
    path_check found = check_path(path, rule.create, partition.root, written_);
    const path_check placed = check_path(path, rule.create, partition.root, folded_);
    const std::string start = "placement rule no. #" + std::to_string(number) + " (" + path.rules + ") references ";
    const bool never_matches = placed.verdict != path_verdict::good || placed.parent_by_children;
    if (found.verdict == path_verdict::good && never_matches) {
      report_.warn(rule.place_of("value"), start + "a queue (" + path.path + ") that takes no applications from it",
                   path.dynamic_tail ? "a parent queue" : "a leaf queue", "the rule never matches");
    }
    if (placed.verdict == path_verdict::good) found.verdict = path_verdict::good;
    switch (found.verdict) {
      case path_verdict::good:
        return;
      case path_verdict::no_leaf:
        report_.refuse(rule.place_of(rule.name == fixed_rule ? "value" : "parent"),
                       start + "a queue (" + path.path + ") which is not a leaf",
                       path.dynamic_tail ? "a queue with 'parent: true', for queues are made below it" : "a leaf queue",
                       path.dynamic_tail ? "add 'parent: true' to it" : "name a queue below it");
        return;
      case path_verdict::not_existing:
        report_.refuse(rule.place_of("value"), start + "non-existing queues (" + path.path + ") and create is 'false'",
                       "a configured queue", "add the queue, or 'create: true' to the rule");
        return;
      case path_verdict::below_leaf:
        report_.refuse(rule.place_of("value"),
                       start + "non-existing queues (" + path.path +
                           ") which cannot be created because the last queue (" + found.last_queue +
                           ") in the hierarchy is a leaf",
                       "a queue below a parent", "add 'parent: true' to queue " + found.last_queue);
        return;
    }
  }

 private:
  // The field's names are identifiers; those of modules may have a '-', too.
  bool may_name_rule(const std::string &name) const {
    return is_rule_name(name) || (options_.known[module_kind::placement_rule] &&
                                  provides(options_.known, module_kind::placement_rule, lower_case(name)));
  }

  void check_named_kind(const rule_source &rule) {
    const std::string name = lower_case(rule.name);
    if (name == recovery_rule) {
      report_.refuse(rule.place_of("name"), messages::rule_recovery(), "another rule",
                     "remove it: it is always there, behind all others");
    } else if (!provides(options_.known, module_kind::placement_rule, name)) {
      report_unknown(rule, name);
    } else if (name == tag_rule && rule.value.empty()) {
      report_.refuse(rule.place_of("value"), messages::rule_tag_without_value(), "the name of a tag",
                     "add 'value: namespace'");
    } else if (name == fixed_rule) {
      check_fixed(rule);
    }
  }

  void report_unknown(const rule_source &rule, const std::string &name) {
    const std::string fix = suggest(options_.known, module_kind::placement_rule, name);
    if (options_.known[module_kind::placement_rule]) {
      report_.refuse(rule.place_of("name"), messages::rule_unknown(rule.name),
                     "a rule that is built in, or that a module of the deployment provides", fix);
    } else {
      report_.warn(rule.place_of("name"), "rule " + rule.name + " is not built in",
                   "a module of the deployment that provides it", fix);
    }
  }

  void check_fixed(const rule_source &rule) {
    if (rule.value.empty()) {
      report_.refuse(rule.place_of("value"), messages::rule_fixed_without_value(), "a queue",
                     "add 'value: root.default'");
      return;
    }
    if (lower_case(rule.value).starts_with(root_queue_name) && !rule.parent.empty()) {
      report_.refuse(rule.place_of("value"), messages::rule_fixed_qualified_with_parent(rule.value),
                     "a value without 'root', or no parent rule", "remove the parent rule");
    }
    std::string_view rest = rule.value;
    while (true) {
      const size_t dot = rest.find('.');
      if (!is_queue_name(rest.substr(0, dot))) {
        report_.refuse(rule.place_of("value"), messages::queue_name_invalid(), "names of queues, separated by '.'",
                       "correct " + in_quotes(rest.substr(0, dot)) + ": letters, digits and - _ # @ / : alone");
        return;
      }
      if (dot == std::string_view::npos) return;
      rest.remove_prefix(dot + 1);
    }
  }

  void check_filter(const rule_source &rule) {
    const std::string type = lower_case(rule.filter_type);
    if (!type.empty() && type != "allow" && type != "deny") {
      constexpr std::string_view types[] = {"allow", "deny"};
      const yaml_node *filter = rule.node->find("filter");
      report_.refuse(place_in(*filter, "type"),
                     "invalid rule filter type " + rule.filter_type + ", filter type  must be either '', allow or deny",
                     "allow or deny", suggestion(type, types));
    }
    check_names(rule.filter_users, "user", is_user_name);
    check_names(rule.filter_groups, "group", is_group_name);
  }

  // One entry is a name or an expression; of several only names count.
  void check_names(const std::vector<name_source> &names, const std::string &word, bool (*is_name)(std::string_view)) {
    if (names.size() > 1) {
      for (const name_source &name : names) {
        if (is_name(name.text)) continue;
        report_.warn(name.at, in_quotes(name.text) + " is no " + word + " name and is ignored", word + " names",
                     looks_like_expression(name.text) ? "an expression must be the only entry" : std::string{});
      }
      return;
    }
    if (names.empty() || is_name(names[0].text)) return;
    const name_source &name = names[0];
    std::string fix = "write a name, or an expression with one of ^ $ * + ? ( ) [ { } |";
    if (looks_like_expression(name.text)) {
      const auto pattern = name_pattern::compile(name.text);
      if (pattern) return;
      fix = "correct it: " + pattern.why().have;
    }
    report_.refuse(name.at, "invalid rule filter " + word + " list is not a proper list or regexp: [" + name.text + "]",
                   "a " + word + " name, or a regular expression", std::move(fix));
  }

  const parse_options &options_;
  problems &report_;
  queues_by_name written_{name_case::written}, folded_{name_case::folded};
};

}  // namespace

void check_placement(const partition_source &partition, const parse_options &options, problems &report) {
  placement_checker checker(options, report);
  for (const rule_source &rule : partition.rules) checker.check_rule(rule);
  for (size_t i = 0; i < partition.rules.size(); ++i) checker.check_target(partition, partition.rules[i], i);
}

void check_rule_kinds(const partition_source &partition, const parse_options &options, problems &report) {
  placement_checker checker(options, report);
  for (const rule_source &rule : partition.rules) checker.check_kind(rule);
}

void check_node_sort(const yaml_node &node, const node_sort_config &sort, const parse_options &options,
                     problems &report) {
  if (!provides(options.known, module_kind::node_sort, sort.type)) {
    report.refuse(place_in(node, "type"), "undefined policy: " + sort.type,
                  "a node sort policy that is built in, or that a module of the deployment provides",
                  suggest(options.known, module_kind::node_sort, sort.type));
  }
  for (const auto &[type, weight] : sort.resource_weights) {
    if (weight >= 0) continue;
    report.refuse(place_in(*node.find("resourceweights"), type),
                  "negative resource weight for " + type + " is not allowed", "a number from 0", {});
  }
}

void check_node_sort(const partition_source &partition, const parse_options &options, problems &report) {
  const yaml_node *node = partition.node->find("nodesortpolicy");
  if (node != nullptr) check_node_sort(*node, partition.node_sort, options, report);
}

}  // namespace tenon::config
