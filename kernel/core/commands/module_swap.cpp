// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "commands/module_swap.hpp"

#include <algorithm>
#include <utility>

#include "base/path.hpp"
#include "commands/chosen_node_orders.hpp"
#include "core.hpp"
#include "cycle/policy_faults.hpp"
#include "lifecycle/ask_classifier.hpp"
#include "policies/sort_orders.hpp"
#include "queueing/change_dispatcher.hpp"
#include "queueing/sort_keys.hpp"
#include "rules/journaled_rules.hpp"
#include "rules/node_verdicts.hpp"
#include "rules/placement.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/names.hpp"

namespace tenon::internal {
namespace {

bool lists(const tenon::swap_module &c, module_kind kind, std::string_view name) {
  return std::any_of(c.policies.begin(), c.policies.end(),
                     [&](const swapped_policy &one) { return one.kind == kind && one.name == name; });
}

// A rule of these, or one above it.
bool uses_rule(const placement_rule &rule, const tenon::swap_module &c) {
  return lists(c, module_kind::placement_rule, rule.name) || (rule.parent != nullptr && uses_rule(*rule.parent, c));
}

}  // namespace

std::string module_swap::bind(module_kind kind, const std::string &policy, const std::string &json,
                              std::unique_ptr<sort_policy> &out) const {
  return bind_sort_policy(shared.policies, kind, policy, json, types.limit(), out);
}

std::string module_swap::stage(const tenon::swap_module &c, staged_swap &out) const {
  for (const swapped_policy &one : c.policies) {
    if (std::string problem = stage(one.kind, std::string(one.name), out); !problem.empty()) return problem;
  }
  return stage_predicates(c, out);
}

std::string module_swap::stage(module_kind kind, const std::string &policy, staged_swap &out) const {
  switch (kind) {
    case module_kind::queue_sort:
      return orders.queues.of_queues.contains(policy) ? bind(kind, policy, "{}", out.of_queues[policy]) : std::string{};
    case module_kind::app_sort:
      return orders.queues.of_applications.contains(policy) ? bind(kind, policy, "{}", out.of_applications[policy])
                                                            : std::string{};
    case module_kind::node_sort:
      return stage_nodes(policy, out);
    default:
      return {};
  }
}

std::string module_swap::stage_nodes(const std::string &policy, staged_swap &out) const {
  constexpr module_kind kind = module_kind::node_sort;
  const node_sortings &nodes = orders.nodes;
  const std::string weights = node_sort_json(config.node_sort);
  std::string problem;
  const std::string own = config.node_sort.type.empty() ? "fair" : config.node_sort.type;
  if (own == policy) problem = bind(kind, policy, weights, out.own);
  if (problem.empty() && nodes.canary != nullptr && config.canary.front().node_sort.type == policy) {
    problem = bind(kind, policy, node_sort_json(config.canary.front().node_sort), out.canary);
    if (out.canary != nullptr) out.canary->canary = true;
  }
  const auto chosen = nodes.chosen.find(policy);
  if (!problem.empty() || chosen == nodes.chosen.end() || chosen->second.policy == nullptr) return problem;
  // As when it was chosen: with the partition's weights where it takes any.
  std::unique_ptr<sort_policy> &fresh = out.chosen[policy];
  problem = bind(kind, policy, weights, fresh);
  if (!problem.empty() && weights != "{}") problem = bind(kind, policy, "{}", fresh);
  if (fresh != nullptr) fresh->chosen = true;
  return problem;
}

std::string module_swap::stage_predicates(const tenon::swap_module &c, staged_swap &out) const {
  const node_predicate *of_canary = verdicts.of_canary();
  if (of_canary != nullptr && lists(c, module_kind::predicate, of_canary->bound->name)) {
    return messages::swap_of_canary(of_canary->bound->name);
  }
  const std::vector<node_predicate> &now = verdicts.predicates();
  const auto is_of_it = [&](const auto &one) { return lists(c, module_kind::predicate, one.bound->name); };
  if (std::none_of(now.begin(), now.end(), is_of_it)) return {};
  auto found = shared.policies.predicates(types.limit());
  if (!found) return found.why().text();
  for (auto &bound : *found) {
    node_predicate &fresh = out.predicates.emplace_back();
    if (!lists(c, module_kind::predicate, bound->name)) continue;
    auto wrapped = wrap_predicate(std::move(bound));
    if (!wrapped) return wrapped.why().text();
    fresh = std::move(*wrapped);
  }
  out.predicates.resize(now.size());
  return {};
}

std::string module_swap::stage_rules(const tenon::swap_module &c,
                                     std::vector<std::unique_ptr<placement_rule>> &out) const {
  const auto &rules = placement.rules();
  const bool any = std::any_of(rules.begin(), rules.end(), [&](const auto &rule) { return uses_rule(*rule, c); });
  if (!any) return {};
  journaled_rules source(shared);
  return build_rules(config.placement_rules, source, types.limit(), out);
}

void module_swap::replace(sort_policy &now, std::unique_ptr<sort_policy> by) {
  by->calls = now.calls;
  by->faults = now.faults;
  std::swap(now, *by);  // queues and orders know it where it is
  faults.retire(std::move(by));
  keys.restart(now);
}

bool module_swap::replace(node_sorting &now, std::unique_ptr<sort_policy> by) {
  if (by == nullptr) return false;
  replace(*now.policy, std::move(by));
  return true;
}

void module_swap::retire(std::unique_ptr<placement_rule> rule) {
  if (rule->parent != nullptr) retire(std::move(rule->parent));
  faults.retire(std::move(rule->bound));
}

void module_swap::adopt(staged_swap staged, std::vector<std::unique_ptr<placement_rule>> rules) {
  for (auto &[name, by] : staged.of_queues) replace(*orders.queues.of_queues.at(name), std::move(by));
  for (auto &[name, by] : staged.of_applications) replace(*orders.queues.of_applications.at(name), std::move(by));
  bool of_nodes = replace(orders.nodes.own, std::move(staged.own));
  if (staged.canary != nullptr) of_nodes |= replace(*orders.nodes.canary, std::move(staged.canary));
  for (auto &[name, by] : staged.chosen) of_nodes |= replace(orders.nodes.chosen.at(name), std::move(by));
  keys.forget_periods();
  if (of_nodes) classifier.score_changed();
  if (!rules.empty()) {
    for (auto &gone : placement.exchange(std::move(rules))) retire(std::move(gone));
  }
  if (staged.predicates.empty()) return;
  for (node_predicate &gone : verdicts.replace(std::move(staged.predicates))) faults.retire(std::move(gone.bound));
  classifier.judges_changed();
  changes.apply(verdicts_forgotten{});
}

}  // namespace tenon::internal
