// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Configuration: everything that can be refused is looked at first, then it is applied whole.
#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <charconv>
#include <set>

#include "partition.hpp"
#include "rules/journaled_rules.hpp"
#include "tenon/kernel/duration.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/names.hpp"

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

void collect_types(const queue_config &c, std::vector<std::string> &out) {
  const auto take = [&](const amount_map &amounts) {
    for (const auto &[type, amount] : amounts) out.push_back(type);
  };
  take(c.guaranteed);
  take(c.max);
  take(c.child_template.guaranteed);
  take(c.child_template.max);
  for (const limit_config &limit : c.limits) take(limit.max_resources);
  for (const queue_config &child : c.queues) collect_types(child, out);
}

bool has_applications(const queue &q) {
  return !q.apps.empty() ||
         std::any_of(q.children.begin(), q.children.end(), [](const auto &child) { return has_applications(*child); });
}

}  // namespace

std::string node_sort_json(const node_sort_config &c) {
  if (c.resource_weights.empty()) return "{}";
  std::string out = "{\"resourceweights\":{";
  bool first = true;
  for (const auto &[type, weight] : c.resource_weights) {
    char digits[64];
    const auto end = std::to_chars(digits, digits + sizeof digits, weight);
    std::string quoted;
    for (const char ch : type) {
      if (ch == '"' || ch == '\\') quoted += '\\';
      quoted += ch;
    }
    out += (first ? "\"" : ",\"") + quoted + "\":" + std::string(digits, end.ptr);
    first = false;
  }
  return out + "}}";
}

std::string property_of(const property_map &properties, const std::string &key) {
  const auto found = properties.find(key);
  return found == properties.end() ? std::string{} : found->second;
}

property_map effective_properties(const property_map &parent, const property_map &own) {
  property_map out = parent;
  for (auto &[key, value] : out) {
    if (key == "priority.policy") value = "default";
    if (key == "priority.offset") value = "0";
    if (key == "preemption.policy" && lower_case(value) != "disabled") value = "default";
  }
  for (const auto &[key, value] : own) out[key] = value;
  return out;
}

bool is_leaf(const queue_config &c, bool root) { return !root && !c.parent && c.queues.empty(); }

std::string partition::check_queue(const queue_config &c, const std::string &path, uint32_t depth) const {
  if (depth > shared.options.max_queue_depth) return messages::queue_too_deep(path, shared.options.max_queue_depth);
  for (const std::string *text : {&c.admin_acl, &c.submit_acl}) {
    if (!parse_acl(*text)) return messages::acl_spaces(*text);
  }
  if (const queue *q = root == nullptr ? nullptr : find_queue(path); q != nullptr) {
    const bool leaf = is_leaf(c, depth == 1);
    if (q->leaf && !leaf && !q->apps.empty()) return messages::leaf_has_applications(path);
    if (!q->leaf && leaf && has_applications(*q)) return messages::parent_has_applications(path);
  }
  for (const queue_config &child : c.queues) {
    if (std::string problem = check_queue(child, path + "." + child.name, depth + 1); !problem.empty()) return problem;
  }
  return {};
}

std::string partition::check_config(const partition_config &c) {
  staged = {};
  if (std::string problem = stage_rules(c.placement_rules); !problem.empty()) return problem;
  if (std::string problem = check_queue(c.root, c.root.name, 1); !problem.empty()) return problem;
  std::vector<std::string> wanted;
  collect_types(c.root, wanted);
  resource_types trial = types;
  for (const std::string &type : wanted) {
    if (trial.intern(type) == no_type) return messages::too_many_resource_types(type, types.limit());
  }
  staged.types = std::move(wanted);
  if (std::string problem = stage_policies(c); !problem.empty()) return problem;
  return check_prepared(c.root, c.root.name, c.root.properties, {});
}

std::string partition::stage_rules(std::vector<placement_rule_config> wanted) {
  if (wanted.empty()) wanted.emplace_back().name = "provided";
  journaled_rules source(shared);
  for (const placement_rule_config &rule : wanted) {
    std::string problem = build_rule(rule, source, types.limit(), staged.rules.emplace_back());
    if (!problem.empty()) return problem;
  }
  return {};
}

std::string partition::bind_sort_policy(module_kind kind, const std::string &policy, const std::string &json,
                                        std::unique_ptr<sort_policy> &into) {
  auto bound = shared.policies.bind(kind, policy, json, types.limit());
  if (!bound) return bound.why().text();
  auto wrapped = wrap_sort_policy(kind, std::move(*bound));
  if (!wrapped) return wrapped.why().text();
  into = std::move(*wrapped);
  return {};
}

// Binds what is not bound yet, so that applying cannot fail.
std::string partition::stage_policies(const partition_config &c) {
  if (sortings.own.policy == nullptr || config.node_sort != c.node_sort) {
    const std::string type = c.node_sort.type.empty() ? "fair" : c.node_sort.type;
    std::string problem =
        bind_sort_policy(module_kind::node_sort, type, node_sort_json(c.node_sort), staged.node_policy);
    if (!problem.empty()) return problem;
    stage_chosen(c);
  }
  std::set<std::string> app_sort{"fifo"}, queue_sort{"fair"};
  collect_policies(c.root, app_sort, queue_sort);
  for (const std::string &policy : queue_sort) {
    if (orders.of_queues.contains(policy)) continue;
    std::string problem = bind_sort_policy(module_kind::queue_sort, policy, "{}", staged.queue_policies[policy]);
    if (!problem.empty()) return problem;
  }
  for (const std::string &policy : app_sort) {
    if (orders.of_applications.contains(policy)) continue;
    // The field takes an unknown value for fifo, and its configurations run here unchanged.
    if (!bind_sort_policy(module_kind::app_sort, policy, "{}", staged.app_policies[policy]).empty())
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

void partition::apply_config(const partition_config &c, const std::map<std::string, int32_t> &classes_of_priority) {
  marks.touch_queues();
  const bool fresh = root == nullptr, backfilled = config.tuning.reservation_backfill;
  config = c;
  priority_classes = classes_of_priority;
  if (state == object_state::draining) turn(object_event::start);
  drain_epoch = 0;
  placement.use(std::move(staged.rules));
  for (const std::string &type : staged.types) types.intern(type);
  orders.of_queues.merge(staged.queue_policies);
  orders.of_applications.merge(staged.app_policies);
  if (fresh) verdicts.adopt(std::move(staged.predicates));
  adopt_chosen();
  if (staged.node_policy != nullptr) {
    if (sortings.own.policy != nullptr) faults.retire(std::move(sortings.own.policy));
    sortings.own.policy = std::move(staged.node_policy);
    sortings.own.start(nodes);
    classify_for_score();
  }
  types_grew();
  if (fresh) {
    created_ms = shared.now_ms;
    create_queue(nullptr, c.root.name, false, true);
  }
  configure_queue(*root, c.root);
  fair_maxima.refresh(*root);
  limits.refresh(by_submission());
  for_each_queue(*root, [&](queue &q) { keys.restart(q); });
  priorities.refresh_all(*root);
  ready.wake_all_below(*root);
  for (application *app : by_submission()) gangs.changed(*app);  // what was Stopped may be Draining now
  gangs.wake_stuck();
  reconsider_asks(backfilled != c.tuning.reservation_backfill);
  for_each_queue(*root, [&](queue &q) { quotas.look_at(q); });
  if (fresh) arm_cleaner();
  keys.forget_periods();
}

// Delays, switches and what backfill looks at may be others now.
void partition::reconsider_asks(bool other_classes) {
  preemption.changed();
  for (uint32_t i = 0; i < asks.extent(); ++i) {
    ask &a = asks[i];
    if (!a.live || a.line == ask_line::none) continue;
    if (other_classes) {
      const ask_class before = classes[a.class_id];
      lines.dequeue(a);
      a.class_id = classify(before.required_node, a, before.need, before.devices).id;
      lines.enqueue(a);
    } else {
      alarms.reconsider(a);
    }
  }
  for (const auto &[node_id, n] : nodes.by_id()) {
    if (!n->reservations.empty()) reservations.reopen(*n);
  }
  ready.wake_blocked();
}

void partition::configure_queue(queue &q, const queue_config &c) {
  q.managed = true;
  keeps.remove(q);
  if (q.state == object_state::draining) apply(queue_moved{q, object_event::start});
  const bool leaf_before = q.leaf;
  q.leaf = is_leaf(c, q.parent == nullptr);
  if (q.leaf != leaf_before) facts.tell(fact_kind::queue_type, q, nullptr, q.leaf);
  const resources max_before = q.max, guaranteed_before = q.guaranteed;
  q.own_properties = c.properties;
  q.guaranteed = configured_amounts(c.guaranteed);
  q.max = configured_amounts(c.max);
  facts.tell_queue_amounts(q, max_before, guaranteed_before);
  q.max_applications = c.max_applications;
  q.submit_acl = *parse_acl(c.submit_acl);
  q.admin_acl = *parse_acl(c.admin_acl);
  const queue_limits limits_before = std::exchange(q.limits, queue_limits(c.limits));
  facts.tell_limits(q, limits_before.all());
  q.child_template = c.child_template;
  if (c.child_template.empty() && q.parent != nullptr) q.child_template = q.parent->child_template;
  resolve_properties(q);
  boost::unordered_flat_set<std::string_view> named;
  for (const queue_config &child : c.queues) named.insert(child.name);
  for (const auto &child : q.children) {
    if (named.contains(child->name)) continue;
    if (child->managed || q.leaf) drain_queue(*child, q.leaf);
    inherit_template(*child);
  }
  for (const queue_config &child : c.queues) {
    const auto found = q.children_by_name.find(child.name);
    const bool there = found != q.children_by_name.end();
    configure_queue(there ? *found->second : create_queue(&q, child.name, is_leaf(child, false), true), child);
  }
}

void partition::drain_queue(queue &q, bool with_dynamic) {
  apply(queue_moved{q, object_event::remove});
  for (const auto &child : q.children) {
    if (child->managed || with_dynamic) drain_queue(*child, with_dynamic);
  }
}

// Dynamic parents have no template of their own.
void partition::inherit_template(queue &q) {
  if (q.managed || q.leaf) return;
  q.child_template = q.parent->child_template;
  for (const auto &child : q.children) inherit_template(*child);
}

// Effective properties, and what the kernel reads from them.
void partition::resolve_properties(queue &q) {
  const bool inherits = q.managed && q.parent != nullptr;
  q.properties = inherits ? effective_properties(q.parent->properties, q.own_properties) : q.own_properties;
  q.priority_sort = lower_case(property_of(q.properties, "application.sort.priority")) != "disabled";
  q.priority_rule = lower_case(property_of(q.properties, "priority.policy")) == "fence" ? priority_policy::fence
                                                                                        : priority_policy::standard;
  const std::string offset = property_of(q.properties, "priority.offset");
  q.priority_offset = 0;
  int32_t parsed = 0;
  const char *from = offset.data() + (offset.starts_with('+') ? 1 : 0);
  const auto [end, error] = std::from_chars(from, offset.data() + offset.size(), parsed);
  if (error == std::errc{} && end == offset.data() + offset.size()) q.priority_offset = parsed;
  resolve_preemption(q);
  auto &policies = q.leaf ? orders.of_applications : orders.of_queues;
  auto named = policies.find(property_of(q.properties, q.leaf ? "application.sort.policy" : "queue.sort.policy"));
  if (named == policies.end()) named = policies.find(q.leaf ? "fifo" : "fair");
  q.order = named->second.get();
}

void partition::resolve_preemption(queue &q) {
  const std::string policy = lower_case(property_of(q.properties, "preemption.policy"));
  const auto has = [&](std::string_view word) {
    for (size_t from = 0; from <= policy.size();) {
      const size_t end = std::min(policy.find(',', from), policy.size());
      if (std::string_view(policy).substr(from, end - from) == word) return true;
      from = end + 1;
    }
    return false;
  };
  q.has_preemption_policy = q.properties.contains("preemption.policy");
  q.fence = has("fence");
  q.intra = has("intra");
  q.spared = has("disabled");
  const auto delay_ms = parse_duration_ms(property_of(q.properties, "preemption.delay"));
  q.preemption_delay_ms = delay_ms && *delay_ms > 0 ? *delay_ms : 30'000;
  const auto quota_delay_ms = parse_duration_ms(property_of(q.properties, "quota.preemption.delay"));
  q.quota_delay_ms = quota_delay_ms && *quota_delay_ms > 0 ? *quota_delay_ms : 0;
}

void partition::leave_out() {
  if (drain_epoch != 0) return;
  turn(object_event::remove);
  drain_epoch = shared.next_epoch++;
  shared.timers.arm(shared.now_ms + config.tuning.drain_timeout_ms, timer_kind::drain, id, 0, drain_epoch);
}

resources partition::configured_amounts(const amount_map &from) {
  resources out;
  const uint32_t before = types.count();
  bool some = false;
  for (const auto &[type, amount] : from) {
    out.set(types.intern(type), amount);
    some |= amount > 0;
  }
  if (types.count() != before) types_grew();
  if (!some) out.clear();
  return out;
}

}  // namespace tenon::internal
