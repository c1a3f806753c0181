// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "make_config.hpp"

#include "tenon/kernel/resources.hpp"

namespace tenon::sim {
namespace {

amount_map some_amounts(random &r, int64_t low, int64_t high) {
  amount_map out;
  if (r.percent(70)) out["vcore"] = r.between(low, high);
  if (r.percent(50)) out["memory"] = r.between(low, high) * 10;
  if (r.percent(10)) out["gpu"] = r.between(0, 4);
  return out;
}

void add_properties(random &r, std::map<std::string, std::string> &to) {
  if (r.percent(40)) to["application.sort.policy"] = r.one_of({"fifo", "fair", "stateaware", "FIFO"});
  if (r.percent(20)) to["application.sort.priority"] = r.one_of({"enabled", "disabled"});
  if (r.percent(20)) to["priority.offset"] = std::to_string(r.between(-5, 5));
  if (r.percent(10)) to["priority.policy"] = r.one_of({"default", "fence"});
  if (r.percent(10)) to["preemption.policy"] = r.one_of({"default", "fence", "disabled"});
  if (r.percent(20)) to["queue.sort.policy"] = r.one_of({"fair", "priority"});
  if (r.percent(5)) to["something.else"] = "kept";
}

// A user or group is named in one limit of a queue only, and "*" comes last.
void add_limits(random &r, queue_config &q) {
  const auto limit = [&](std::vector<std::string> users, std::vector<std::string> groups) {
    limit_config l;
    l.users = std::move(users);
    l.groups = std::move(groups);
    if (r.percent(70)) l.max_resources["vcore"] = r.between(1, 12);
    if (r.percent(30) || l.max_resources.empty()) l.max_resources["memory"] = r.between(10, 120);
    if (r.percent(50)) l.max_applications = static_cast<uint64_t>(r.between(1, 4));
    q.limits.push_back(std::move(l));
  };
  if (r.percent(40)) limit({"ann"}, {});
  if (r.percent(30)) limit({"bob", "eve"}, {});
  const bool named_group = r.percent(30);
  if (named_group) limit({}, {"dev", "ops"});
  if (named_group && r.percent(40)) limit({}, {"*"});
  if (r.percent(30)) limit({"*"}, {});
}

std::string make_acl(random &r) { return r.one_of({"*", "", "ann", "ann,bob", " dev", "eve ops,dev"}); }

child_template_config make_template(random &r) {
  child_template_config t;
  if (r.percent(30)) t.max_applications = static_cast<uint64_t>(r.between(1, 3));
  if (r.percent(50)) add_properties(r, t.properties);
  if (r.percent(40)) t.guaranteed = some_amounts(r, 0, 10);
  if (r.percent(40)) t.max = some_amounts(r, 0, 30);
  return t;
}

// Guarantees that others use, and properties of preemption.
void add_preemption(random &r, const profile &p, queue_config &q) {
  if (p.preemption) {
    if (r.percent(60)) q.guaranteed = {{"vcore", r.between(2, 20)}};
    if (r.percent(50)) q.guaranteed["memory"] = r.between(2, 12) * 10;
    if (r.percent(80)) q.properties["preemption.delay"] = r.one_of({"1ms", "1s", "5s", "no"});
    if (r.percent(40)) {
      q.properties["preemption.policy"] = r.one_of({"fence", "disabled", "intra", "fence,intra", "Intra", "default"});
    }
  }
  if (p.quotas && r.percent(70)) q.max = {{"vcore", r.between(1, 12)}};
  if (p.quotas && r.percent(80)) q.properties["quota.preemption.delay"] = r.one_of({"20s", "3m", "0"});
}

// One or two applications at a time, for users and for groups that share them; room is seldom limited.
void add_places(random &r, queue_config &q) {
  const auto limit = [&](std::vector<std::string> users, std::vector<std::string> groups) {
    limit_config l;
    l.users = std::move(users);
    l.groups = std::move(groups);
    l.max_applications = static_cast<uint64_t>(r.between(1, 2));
    if (r.percent(15)) l.max_resources["vcore"] = r.between(4, 12);
    q.limits.push_back(std::move(l));
  };
  if (r.percent(50)) limit({"ann"}, {});
  if (r.percent(30)) limit({"bob", "eve"}, {});
  const bool one = r.percent(40), other = r.percent(40);
  if (one) limit({}, r.percent(50) ? std::vector<std::string>{"dev"} : std::vector<std::string>{"ops", "dev"});
  if (other) limit({}, {"qa"});
  if ((one || other) && r.percent(40)) limit({}, {"*"});
  if (r.percent(30)) limit({"*"}, {});
}

queue_config make_queue(random &r, const profile &p, const std::string &name, int depth) {
  queue_config q;
  q.name = name;
  add_properties(r, q.properties);
  if (depth > 0) {
    if (r.percent(40)) q.guaranteed = some_amounts(r, 0, 15);
    if (r.percent(p.preemption || p.places ? 15 : 40)) q.max = some_amounts(r, p.preemption ? 6 : 0, 30);
  }
  if (p.huge && r.percent(40)) q.max["vcore"] = largest_sum / r.between(1, 4) - r.between(0, 20);
  if (p.gangs && r.percent(30)) q.properties["gang.start"] = r.one_of({"whole", "piecewise", "Whole", "at once"});
  if (p.orders && depth > 0 && r.percent(80)) {
    q.max = {{"vcore", r.between(3, 14)}};
    if (r.percent(50)) q.max["memory"] = r.between(4, 14) * 10;
  }
  if (p.orders && r.percent(80)) q.properties["queue.strict"] = r.one_of({"true", "True", "true", "no"});
  add_preemption(r, p, q);
  if (p.places && r.percent(60)) add_places(r, q);
  if (p.limits && r.percent(30)) q.max_applications = static_cast<uint64_t>(r.between(1, 5));
  if (p.limits && !p.places && r.percent(40)) add_limits(r, q);
  if (p.placement) {
    if (r.percent(40)) q.submit_acl = make_acl(r);
    if (r.percent(10)) q.admin_acl = make_acl(r);
    if (r.percent(25)) q.child_template = make_template(r);
  }
  if (p.shares && depth == 1) {
    // A parent of dynamic leaves, whose applications stand by what their leaf is guaranteed.
    q.parent = true;
    q.child_template = {};
    q.child_template.properties = {{"application.sort.policy", "fair"}, {"application.sort.priority", "disabled"}};
    q.submit_acl = "*";
    return q;
  }
  const bool has_children = depth == 0 || (depth < 3 && r.percent(35));
  q.parent = has_children || (p.placement && r.percent(15));
  const int64_t least = depth == 0 ? (p.dense || p.places ? 2 : 1) : 0;
  const int64_t children = has_children ? r.between(least, 3) : 0;
  for (int64_t i = 0; i < children; ++i) {
    if (r.percent(p.dense || p.places ? 5 : 15)) continue;  // so that reloads add and take away
    q.queues.push_back(make_queue(r, p, std::string(1, static_cast<char>('a' + i)), depth + 1));
  }
  return q;
}

placement_filter_config make_filter(random &r) {
  placement_filter_config f;
  f.allow = r.percent(70);
  if (r.percent(50)) f.users = {r.one_of({"ann", "^b", "eve|ann"})};
  if (r.percent(20)) f.users = {"ann", "bob"};
  if (r.percent(40)) f.groups = {r.one_of({"dev", "o.s"})};
  return f;
}

placement_rule_config make_rule(random &r, int depth) {
  placement_rule_config rule;
  rule.name = r.one_of({"provided", "provided", "user", "tag", "fixed"});
  rule.create = r.percent(60);
  if (rule.name == "tag") rule.value = "namespace";
  if (rule.name == "fixed") rule.value = r.one_of({"a", "made", "a.b", "root.a", "root.made.below"});
  if (r.percent(25)) rule.filter = make_filter(r);
  const bool full = rule.value.starts_with("root.");
  if (depth < 2 && !full && r.percent(35)) rule.parent.push_back(make_rule(r, depth + 1));
  return rule;
}

canary_config make_canary(random &r, const profile &p) {
  canary_config c;
  if (r.percent(40)) c.predicate = "two-of-three";
  c.node_sort.type = r.one_of({"fair", "binpacking"});
  if (p.devices) c.node_sort.type = r.one_of({"fair", "binpacking", "device-packing", "gpu-pack", "emptiest-devices"});
  if (r.percent(50)) c.node_sort.resource_weights = {{"memory", 0.5}, {"vcore", 2.0}};
  if (!c.predicate.empty()) c.node_sort = {};
  if (r.percent(40))
    c.queues = r.percent(50) ? std::vector<std::string>{"root.a"} : std::vector<std::string>{"root.b", "root.a.a"};
  c.share = static_cast<uint32_t>(r.percent(30) ? 1'000 : r.between(0, 1'000));
  c.salt = r.one_of({"", "one", "two"});
  c.back.faults = static_cast<uint32_t>(r.percent(60) ? 1 : r.between(2, 4));
  c.back.placements = static_cast<uint32_t>(r.between(1, 12));
  if (r.percent(30)) c.back.waiting_p99_ms = r.between(1, 20) * 1'000;
  if (r.percent(30)) c.back.waiting_factor = static_cast<uint32_t>(r.between(500, 3'000));
  return c;
}

partition_config make_partition(random &r, const profile &p, const std::string &name) {
  partition_config c;
  c.name = name;
  c.root = make_queue(r, p, "root", 0);
  c.root.parent = true;
  c.root.guaranteed.clear();
  c.root.max.clear();
  if (!p.placement || r.percent(70)) c.root.submit_acl = "*";
  if (r.percent(20)) {
    c.root.queues.emplace_back().name = "default";
  }
  const int64_t rules = p.placement ? r.between(0, 4) : 0;
  if (p.shares) c.placement_rules.emplace_back().name = "provided";
  if (p.shares) c.placement_rules.back().create = true;
  for (int64_t i = 0; i < rules; ++i) c.placement_rules.push_back(make_rule(r, 0));
  c.node_sort.type = r.one_of({"fair", "binpacking"});
  if (p.devices && r.percent(50)) c.node_sort.type = r.one_of({"device-packing", "gpu-pack"});
  if (p.choosing && r.percent(70)) c.node_sort.type = "emptiest-devices";
  if (r.percent(30)) c.node_sort.resource_weights = {{"memory", 1.5}, {"vcore", 4.0}};
  if (r.percent(10)) c.node_sort.resource_weights = {{"gpu", 0.7}, {"memory", 0.3}, {"vcore", 1.1}};
  if (r.percent(5)) c.node_sort.resource_weights = {{"vcore", 0.0}};
  if (p.canaries && r.percent(85)) c.canary.push_back(make_canary(r, p));
  if (r.percent(40)) {
    c.tuning.starting_timeout_ms = r.between(1, 20) * 1'000;
    c.tuning.completing_timeout_ms = r.between(1, 20) * 1'000;
    c.tuning.terminated_timeout_ms = r.between(1, 60) * 1'000;
    c.tuning.drain_timeout_ms = r.between(1, 30) * 1'000;
  }
  c.tuning.start_retry_ms = r.between(0, 4) * 500;
  c.tuning.start_retry_max_ms = r.between(1, 8) * 1'000;
  if (p.gangs && r.percent(60)) c.tuning.placeholder_timeout_ms = r.between(1, 40) * 1'000;
  c.preemption_enabled = r.percent(95);
  c.quota_preemption_enabled = p.quotas && r.percent(85);
  if (p.preemption) c.tuning.preemption_retry_ms = r.between(0, 10) * 1'000;
  if (p.preemption && r.percent(30)) c.tuning.preemption_max_steps = static_cast<uint64_t>(r.between(0, 12));
  if (p.reservations) {
    c.tuning.reservation_delay_ms = r.between(0, 4) * 500;
    c.tuning.reservation_wait_ms = r.between(5, 60) * 1'000;
    if (p.orders && r.percent(60)) c.tuning.reservation_queue_delay_ms = r.between(0, 20) * 1'000;
    c.tuning.reservation_enabled = r.percent(95);
    c.tuning.reservation_backfill = r.percent(40);
    if (r.percent(60)) c.tuning.reservation_max_nodes = static_cast<uint32_t>(r.between(0, 3));
  }
  return c;
}

}  // namespace

cluster_config make_config(random &r, const profile &p) {
  cluster_config c;
  c.priority_classes = {{"high", 10}, {"low", -10}};
  c.partitions.push_back(make_partition(r, p, "default"));
  if (p.partitions > 1 && r.percent(70)) c.partitions.push_back(make_partition(r, p, "gpu"));
  return c;
}

}  // namespace tenon::sim
