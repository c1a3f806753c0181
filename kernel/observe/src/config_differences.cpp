// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "plan_words.hpp"
#include "tenon/kernel/partition_name.hpp"
#include "tenon/observe/config_plan.hpp"

namespace tenon::observe {
namespace {

using detail = planned_change::detail;
using how = planned_change::how;

std::string switch_text(bool is_on) { return is_on ? "true" : "false"; }

template <class Texts>
std::string list_text(const Texts &all) {
  std::string out;
  for (const auto &one : all) out += (out.empty() ? "" : ", ") + std::string(one);
  return "[" + out + "]";
}

std::string acl_text(const std::string &acl) { return "'" + acl + "'"; }

std::string count_text(uint64_t count) { return count == 0 ? "no limit" : std::to_string(count); }
std::string most_nodes_text(const partition_tuning &t) {
  return t.reservation_max_nodes == partition_tuning::tenth_of_nodes ? "10 %" : count_text(t.reservation_max_nodes);
}

std::string rule_text(const placement_rule_config &rule) {
  std::string out = rule.name;
  if (!rule.value.empty()) out += " " + rule.value;
  if (rule.create) out += ", create";
  const placement_filter_config &filter = rule.filter;
  if (filter != placement_filter_config{}) {
    out += std::string(", ") + (filter.allow ? "allow" : "deny");
    if (!filter.users.empty()) out += " users " + list_text(filter.users);
    if (!filter.groups.empty()) out += " groups " + list_text(filter.groups);
  }
  if (!rule.parent.empty()) out += ", below (" + rule_text(rule.parent.front()) + ")";
  return out;
}

std::string limit_text(const limit_config &limit) {
  std::string out;
  if (!limit.max_resources.empty()) out = "maxresources " + amounts_text(limit.max_resources);
  if (limit.max_applications != 0)
    out += (out.empty() ? "" : ", ") + ("maxapplications " + std::to_string(limit.max_applications));
  return out;
}

// Whom each limit is for, in the order in which they are looked through.
std::map<std::string, std::string> limits_by_subject(const std::vector<limit_config> &all) {
  std::map<std::string, std::string> out;
  for (const limit_config &limit : all) {
    for (const std::string &user : limit.users) out["limit of user " + user] = limit_text(limit);
    for (const std::string &group : limit.groups) out["limit of group " + group] = limit_text(limit);
  }
  return out;
}

// "": there is none.
std::string canary_text(const std::vector<canary_config> &canary) {
  if (canary.empty()) return {};
  const canary_config &c = canary.front();
  std::string out = (c.predicate.empty() ? "" : "predicate ") + c.policy();
  for (const auto &[type, weight] : c.node_sort.resource_weights) out += ", " + type + " " + weight_text(weight);
  if (!c.queues.empty()) out += ", queues " + list_text(c.queues);
  out += ", share " + std::to_string(c.share);
  if (!c.salt.empty()) out += ", salt '" + c.salt + "'";
  if (c.back == canary_limits{}) return out;
  out += ", back with " + std::to_string(c.back.faults) + " faults, of " + std::to_string(c.back.placements) +
         " placements";
  if (c.back.waiting_p99_ms > 0) out += ", p99 " + std::to_string(c.back.waiting_p99_ms) + " ms";
  if (c.back.waiting_factor > 0) out += ", factor " + std::to_string(c.back.waiting_factor);
  return out;
}

class details_of {
 public:
  void add(const std::string &key, const std::string &from, const std::string &to) {
    if (from != to) out.push_back({key, from, to});
  }
  void add(const std::string &key, const amount_map &from, const amount_map &to) {
    add(key, from.empty() ? "" : amounts_text(from), to.empty() ? "" : amounts_text(to));
  }
  void add(const std::string &key, const std::map<std::string, std::string> &from,
           const std::map<std::string, std::string> &to) {
    std::set<std::string> names;
    for (const auto *side : {&from, &to})
      for (const auto &[name, value] : *side) names.insert(name);
    const auto value = [](const auto &of, const std::string &name) {
      const auto found = of.find(name);
      return found == of.end() ? std::string() : found->second;
    };
    for (const std::string &name : names) add(key + name, value(from, name), value(to, name));
  }
  void add_count(const std::string &key, uint64_t from, uint64_t to) { add(key, count_text(from), count_text(to)); }
  void add_switch(const std::string &key, bool from, bool to) { add(key, switch_text(from), switch_text(to)); }
  void add_time(const std::string &key, int64_t from, int64_t to) { add(key, duration_text(from), duration_text(to)); }

  std::vector<detail> out;
};

std::vector<detail> compare_own(const queue_config &a, const queue_config &b) {
  details_of out;
  out.add_switch("parent", a.parent, b.parent);
  out.add("guaranteed", a.guaranteed, b.guaranteed);
  out.add("max", a.max, b.max);
  out.add_count("maxapplications", a.max_applications, b.max_applications);
  out.add("", a.properties, b.properties);
  out.add("adminacl", acl_text(a.admin_acl), acl_text(b.admin_acl));
  out.add("submitacl", acl_text(a.submit_acl), acl_text(b.submit_acl));
  out.add("", limits_by_subject(a.limits), limits_by_subject(b.limits));
  const child_template_config &x = a.child_template, &y = b.child_template;
  out.add_count("childtemplate: maxapplications", x.max_applications, y.max_applications);
  out.add("childtemplate: guaranteed", x.guaranteed, y.guaranteed);
  out.add("childtemplate: max", x.max, y.max);
  out.add("childtemplate: ", x.properties, y.properties);
  return std::move(out.out);
}

class comparer {
 public:
  explicit comparer(std::string partition) : partition_(std::move(partition)) {}

  void compare(const partition_config &a, const partition_config &b) {
    add(how::changed, "partition", compare_own_of(a, b));
    if (a.placement_rules != b.placement_rules) {
      details_of rules;
      const size_t most = std::max(a.placement_rules.size(), b.placement_rules.size());
      const auto text = [](const auto &of, size_t i) { return i < of.size() ? rule_text(of[i]) : std::string(); };
      for (size_t i = 0; i < most; ++i)
        rules.add("rule " + std::to_string(i + 1), text(a.placement_rules, i), text(b.placement_rules, i));
      add(how::changed, "placement rules", std::move(rules.out));
    }
    compare(a.root, b.root, "root");
  }

  void all_of(const partition_config &p, how what) {
    add_always(what, "partition", {});
    for (const queue_config &child : p.root.queues) all_of(child, "root." + child.name, what);
  }

  std::vector<planned_change> out;

 private:
  void add(how what, const std::string &object, std::vector<detail> details) {
    if (!details.empty()) add_always(what, object, std::move(details));
  }
  void add_always(how what, const std::string &object, std::vector<detail> details) {
    out.push_back({what, partition_, object, std::move(details)});
  }

  static std::vector<detail> compare_own_of(const partition_config &a, const partition_config &b) {
    details_of out;
    out.add_switch("preemption.enabled", a.preemption_enabled, b.preemption_enabled);
    out.add_switch("preemption.quotapreemptionenabled", a.quota_preemption_enabled, b.quota_preemption_enabled);
    out.add("nodesortpolicy.type", a.node_sort.type, b.node_sort.type);
    std::map<std::string, std::string> weights_a, weights_b;
    for (const auto &[from, to] : {std::pair(&a, &weights_a), std::pair(&b, &weights_b)})
      for (const auto &[type, weight] : from->node_sort.resource_weights) (*to)[type] = weight_text(weight);
    out.add("nodesortpolicy.resourceweights ", weights_a, weights_b);
    out.add("canary", canary_text(a.canary), canary_text(b.canary));
    out.add("usergroupresolver.type", a.user_group_resolver, b.user_group_resolver);
    const partition_tuning &x = a.tuning, &y = b.tuning;
    out.add_switch("reservation.enabled", x.reservation_enabled, y.reservation_enabled);
    out.add_switch("reservation.backfill", x.reservation_backfill, y.reservation_backfill);
    out.add("reservation.max_nodes", most_nodes_text(x), most_nodes_text(y));
    out.add_time("reservation.delay", x.reservation_delay_ms, y.reservation_delay_ms);
    out.add_time("reservation.wait", x.reservation_wait_ms, y.reservation_wait_ms);
    out.add_time("reservation.queue_delay", x.reservation_queue_delay_ms, y.reservation_queue_delay_ms);
    out.add_time("preemption.retry", x.preemption_retry_ms, y.preemption_retry_ms);
    out.add_count("preemption.max_steps", x.preemption_max_steps, y.preemption_max_steps);
    out.add_time("timeouts.starting", x.starting_timeout_ms, y.starting_timeout_ms);
    out.add_time("timeouts.completing", x.completing_timeout_ms, y.completing_timeout_ms);
    out.add_time("timeouts.terminated", x.terminated_timeout_ms, y.terminated_timeout_ms);
    out.add_time("timeouts.placeholder", x.placeholder_timeout_ms, y.placeholder_timeout_ms);
    out.add_time("timeouts.queuecleanup", x.queue_cleanup_ms, y.queue_cleanup_ms);
    out.add_time("timeouts.drain", x.drain_timeout_ms, y.drain_timeout_ms);
    out.add_time("timeouts.releaseconfirm", x.release_confirm_timeout_ms, y.release_confirm_timeout_ms);
    out.add_time("timeouts.startretry", x.start_retry_ms, y.start_retry_ms);
    out.add_time("timeouts.startretrymax", x.start_retry_max_ms, y.start_retry_max_ms);
    return std::move(out.out);
  }

  void compare(const queue_config &a, const queue_config &b, const std::string &path) {
    add(how::changed, "queue " + path, compare_own(a, b));
    const auto named = [](const queue_config &in, const std::string &name) {
      return std::find_if(in.queues.begin(), in.queues.end(), [&](const auto &q) { return q.name == name; });
    };
    for (const queue_config &child : b.queues) {
      const auto before = named(a, child.name);
      if (before == a.queues.end()) {
        all_of(child, path + "." + child.name, how::added);
      } else {
        compare(*before, child, path + "." + child.name);
      }
    }
    for (const queue_config &child : a.queues)
      if (named(b, child.name) == b.queues.end()) all_of(child, path + "." + child.name, how::removed);
  }

  void all_of(const queue_config &q, const std::string &path, how what) {
    std::vector<detail> details;
    if (what == how::added) {
      queue_config nothing;
      nothing.parent = q.parent;
      details = compare_own(nothing, q);
    }
    add_always(what, "queue " + path, std::move(details));
    for (const queue_config &child : q.queues) all_of(child, path + "." + child.name, what);
  }

  std::string partition_;
};

void move_to_end(std::vector<planned_change> &from, std::vector<planned_change> &to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

const partition_config *named(const cluster_config &in, const std::string &name) {
  const auto found =
      std::find_if(in.partitions.begin(), in.partitions.end(), [&](const auto &p) { return p.name == name; });
  return found == in.partitions.end() ? nullptr : &*found;
}

}  // namespace

std::vector<planned_change> differences(const cluster_config &before, const cluster_config &now) {
  std::vector<planned_change> out;
  for (const partition_config &partition : now.partitions) {
    comparer of(partition.name);
    if (const partition_config *same = named(before, partition.name); same != nullptr) {
      of.compare(*same, partition);
    } else {
      of.all_of(partition, how::added);
    }
    move_to_end(of.out, out);
  }
  for (const partition_config &partition : before.partitions) {
    if (named(now, partition.name) != nullptr) continue;
    comparer of(partition.name);
    of.all_of(partition, how::removed);
    move_to_end(of.out, out);
  }
  std::set<std::string> classes;
  for (const auto *side : {&before, &now})
    for (const auto &[name, value] : side->priority_classes) classes.insert(name);
  for (const std::string &name : classes) {
    const auto a = before.priority_classes.find(name), b = now.priority_classes.find(name);
    const std::string from = a == before.priority_classes.end() ? "" : std::to_string(a->second);
    const std::string to = b == now.priority_classes.end() ? "" : std::to_string(b->second);
    if (from == to) continue;
    out.push_back({from.empty() ? how::added
                   : to.empty() ? how::removed
                                : how::changed,
                   {},
                   "priority class " + name,
                   {{"value", from, to}}});
  }
  return out;
}

cluster_config without_gone(const kernel &live, const std::string &rm, cluster_config before) {
  std::erase_if(before.partitions, [&](const partition_config &p) {
    return live.find_partition(full_partition_name(rm, p.name)) == partition_id::none;
  });
  return before;
}

}  // namespace tenon::observe
