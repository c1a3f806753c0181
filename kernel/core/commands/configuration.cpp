// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "commands/configuration.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "commands/administration.hpp"
#include "commands/canary.hpp"
#include "commands/chosen_node_orders.hpp"
#include "core.hpp"
#include "cycle/policy_faults.hpp"
#include "ledger/victim_room.hpp"
#include "lifecycle/ask_classifier.hpp"
#include "lifecycle/queue_tree.hpp"
#include "lifecycle/resource_intake.hpp"
#include "outbound/reader_marks.hpp"
#include "policies/prepared_words.hpp"
#include "policies/sort_orders.hpp"
#include "queueing/ask_alarms.hpp"
#include "queueing/change_dispatcher.hpp"
#include "queueing/fair_max.hpp"
#include "queueing/gang_turns.hpp"
#include "queueing/queue_priorities.hpp"
#include "queueing/ready_index.hpp"
#include "queueing/sort_keys.hpp"
#include "rules/journaled_rules.hpp"
#include "rules/limits.hpp"
#include "rules/node_verdicts.hpp"
#include "rules/placement.hpp"
#include "rules/quotas.hpp"
#include "rules/reservations.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {
namespace {

// Names of policies that the queues name, with templates.
void collect_policies(const queue_config &c, std::set<std::string> &app_sort, std::set<std::string> &queue_sort) {
  for (const property_map *properties : {&c.properties, &c.child_template.properties}) {
    if (const std::string name = property_of(*properties, "application.sort.policy"); !name.empty())
      app_sort.insert(name);
    if (const std::string name = property_of(*properties, "queue.sort.policy"); !name.empty()) queue_sort.insert(name);
  }
  for (const queue_config &child : c.queues) collect_policies(child, app_sort, queue_sort);
}

void collect_amounts(const queue_config &c, std::vector<std::pair<std::string, int64_t>> &out) {
  const auto take = [&](const amount_map &amounts) { out.insert(out.end(), amounts.begin(), amounts.end()); };
  take(c.guaranteed);
  take(c.max);
  take(c.child_template.guaranteed);
  take(c.child_template.max);
  for (const limit_config &limit : c.limits) take(limit.max_resources);
  for (const queue_config &child : c.queues) collect_amounts(child, out);
}

}  // namespace

std::string configuration::check(const partition_config &c) {
  staged = {};
  chosen_orders.forget_staged();
  journaled_rules rules(shared);
  if (std::string problem = build_rules(c.placement_rules, rules, types.limit(), staged.rules); !problem.empty())
    return problem;
  if (std::string problem = queues.problem_with(c.root, c.root.name, 1, shared.options.max_queue_depth);
      !problem.empty())
    return problem;
  std::vector<std::pair<std::string, int64_t>> wanted;
  collect_amounts(c.root, wanted);
  intake.begin_command();
  for (const auto &[type, amount] : wanted) {
    if (amount > largest_sum) return messages::amount_too_large(type, amount);
    if (intake.bring(type) == no_type) return messages::too_many_resource_types(type, types.limit());
  }
  if (std::string problem = stage_policies(c); !problem.empty()) return problem;
  return check_prepared(c.root, c.root.name, c.root.properties, {});
}

// Binds what is not bound yet, so that applying cannot fail.
std::string configuration::stage_policies(const partition_config &c) {
  if (orders.nodes.own.policy == nullptr || config.node_sort != c.node_sort) {
    const std::string type = c.node_sort.type.empty() ? "fair" : c.node_sort.type;
    std::string problem = bind_sort_policy(shared.policies, module_kind::node_sort, type, node_sort_json(c.node_sort),
                                           types.limit(), staged.node_policy);
    if (!problem.empty()) return problem;
    chosen_orders.stage(c);
  }
  if (std::string problem = canary.stage(c); !problem.empty()) return problem;
  std::set<std::string> app_sort{"fifo"}, queue_sort{"fair"};
  collect_policies(c.root, app_sort, queue_sort);
  for (const std::string &policy : queue_sort) {
    if (orders.queues.of_queues.contains(policy)) continue;
    std::string problem = bind_sort_policy(shared.policies, module_kind::queue_sort, policy, "{}", types.limit(),
                                           staged.queue_policies[policy]);
    if (!problem.empty()) return problem;
  }
  for (const std::string &policy : app_sort) {
    if (orders.queues.of_applications.contains(policy)) continue;
    // The field takes an unknown value for fifo, and its configurations run here unchanged.
    if (!bind_sort_policy(shared.policies, module_kind::app_sort, policy, "{}", types.limit(),
                          staged.app_policies[policy])
             .empty())
      staged.app_policies.erase(policy);
  }
  if (root != nullptr) return {};
  auto found = shared.policies.predicates(types.limit());
  if (!found) return found.why().text();
  for (auto &bound : *found) {
    auto wrapped = wrap_predicate(std::move(bound));
    if (!wrapped) return wrapped.why().text();
    staged.predicates.push_back(std::move(*wrapped));
  }
  return {};
}

std::string configuration::check_prepared(const queue_config &c, const std::string &path,
                                          const property_map &properties, const child_template_config &above) {
  if (is_leaf(c, path == "root")) return {};
  const std::string wanted = property_of(properties, "queue.sort.policy");
  const auto named = [&](auto &policies, const std::string &wanted_name) {
    const auto found = policies.find(wanted_name);
    return found == policies.end() ? nullptr : found->second.get();
  };
  sort_policy *policy = named(orders.queues.of_queues, wanted);
  if (policy == nullptr) policy = named(staged.queue_policies, wanted);
  if (policy == nullptr) policy = named(orders.queues.of_queues, "fair");
  if (policy == nullptr) policy = named(staged.queue_policies, "fair");
  const auto refused = [&](const std::string &child, const property_map &texts) {
    const prepared_words made = prepare(*policy, text_pairs(texts));
    if (made.failed) ++shared.counters.policy_faults;
    return made.refused ? messages::order_refused_queue(path + "." + child, policy->bound->name, made.why)
                        : std::string{};
  };
  const child_template_config &dynamic = c.child_template.empty() ? above : c.child_template;
  if (!dynamic.properties.empty()) {
    if (std::string problem = refused("*", dynamic.properties); !problem.empty()) return problem;
  }
  for (const queue_config &child : c.queues) {
    const property_map effective = effective_properties(properties, child.properties);
    std::string problem = refused(child.name, effective);
    if (problem.empty()) problem = check_prepared(child, path + "." + child.name, effective, dynamic);
    if (!problem.empty()) return problem;
  }
  return {};
}

void configuration::apply(const partition_config &c, const std::map<std::string, int32_t> &classes_of_priority) {
  const bool fresh = root == nullptr, backfilled = config.tuning.reservation_backfill;
  config = c;
  priority_classes = classes_of_priority;
  administration.take_back();
  placement.use(std::move(staged.rules));
  orders.queues.of_queues.merge(staged.queue_policies);
  orders.queues.of_applications.merge(staged.app_policies);
  if (fresh) verdicts.adopt(std::move(staged.predicates));
  chosen_orders.adopt();
  if (staged.node_policy != nullptr) {
    if (orders.nodes.own.policy != nullptr) faults.retire(std::move(orders.nodes.own.policy));
    orders.nodes.own.policy = std::move(staged.node_policy);
    orders.nodes.start(orders.nodes.own);
    classifier.score_changed();
  }
  canary.adopt();
  intake.types_grew();
  if (fresh) {
    queues.create_queue(nullptr, c.root.name, false, true);
  }
  queues.configure(*root, c.root);
  limits.refresh(applications.by_submission());
  changes.apply(queues_configured{*root});
  reconsider_asks(backfilled != c.tuning.reservation_backfill);
  quotas.look_at_tree(*root);
  if (fresh) administration.arm_cleaner();
}

void configuration::adopt(const partition_config &c, const std::map<std::string, int32_t> &classes_of_priority) {
  config = c;
  priority_classes = classes_of_priority;
  placement.use(std::move(staged.rules));
  orders.queues.of_queues.merge(staged.queue_policies);
  orders.queues.of_applications.merge(staged.app_policies);
  verdicts.adopt(std::move(staged.predicates));
  orders.nodes.own.policy = std::move(staged.node_policy);
  canary.adopt();
  intake.types_grew();
}

// Delays, switches and what backfill looks at may be others now.
void configuration::reconsider_asks(bool other_classes) {
  victims.outcome_changed();
  if (!config.tuning.reservation_enabled) reservations.switch_off();
  reservations.end_of_gangs_that_do_not_wait();
  reservations.end_too_many(reserved);
  for (uint32_t i = 0; i < asks.extent(); ++i) {
    ask &a = asks[i];
    if (!a.live || a.line == ask_line::none) continue;
    if (other_classes) {
      classifier.reclassify(a);
    } else {
      alarms.reconsider(a);
    }
  }
  for (const auto &[node_id, n] : nodes.by_id()) {
    if (!n->reservations->empty()) reservations.reopen(*n);
  }
  ready.wake_blocked();
}

}  // namespace tenon::internal
