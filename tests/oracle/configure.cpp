// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Configurations: what is refused, and what a new one changes. And the cleaner, which removes what no
// configuration asks for any more.
#include <algorithm>
#include <set>
#include <utility>

#include "partition.hpp"
#include "rules.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/resources.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::naive {
namespace {

bool is_leaf(const queue_config &c, const std::string &parent) {
  return !parent.empty() && !c.parent && c.queues.empty();
}

std::string path_of(const queue_config &c, const std::string &parent) {
  return parent.empty() ? c.name : parent + "." + c.name;
}

amount_map set_or_empty(const amount_map &amounts) { return any_positive(amounts) ? amounts : amount_map(); }

std::string queue_problem(const queue_config &c, const std::string &parent, const partition *now, uint32_t max_depth) {
  const std::string path = path_of(c, parent);
  if (path_down(path).size() > max_depth) return messages::queue_too_deep(path, max_depth);
  for (const std::string &text : {c.admin_acl, c.submit_acl}) {
    if (!parse_acl(text)) return messages::acl_spaces(text);
  }
  const bool leaf = is_leaf(c, parent);
  if (now != nullptr && !leaf && now->has_applications(path, false)) return messages::leaf_has_applications(path);
  if (now != nullptr && leaf && now->has_applications(path, true)) return messages::parent_has_applications(path);
  for (const queue_config &child : c.queues) {
    if (std::string why = queue_problem(child, path, now, max_depth); !why.empty()) return why;
  }
  return {};
}

// Own properties over those of the parent, of which some do not go down.
std::map<std::string, std::string> inherit(const std::map<std::string, std::string> &parent,
                                           const std::map<std::string, std::string> &own) {
  std::map<std::string, std::string> out = own;
  for (const auto &[key, value] : parent) {
    if (key == "priority.policy") {
      out.emplace(key, "default");
    } else if (key == "priority.offset") {
      out.emplace(key, "0");
    } else if (key == "preemption.policy") {
      out.emplace(key, lower(value) == "disabled" ? value : "default");
    } else {
      out.emplace(key, value);
    }
  }
  return out;
}

void collect_paths(const queue_config &c, const std::string &parent, std::set<std::string> &out) {
  out.insert(path_of(c, parent));
  for (const queue_config &child : c.queues) collect_paths(child, path_of(c, parent), out);
}

}  // namespace

std::string partition::problem_of(const partition_config &c, partition *now, const kernel_options &options) {
  for (const placement_rule_config &rule : c.placement_rules) {
    if (std::string why = rule_problem(rule); !why.empty()) return why;
  }
  if (c.root.name != "root") return messages::partition_without_root();
  if (std::string why = queue_problem(c.root, "", now, options.max_queue_depth); !why.empty()) return why;
  std::set<std::string> all;  // of a new one
  for (const auto &[type, amount] : amounts_in(c)) {
    if (amount > largest_sum) return messages::amount_too_large(type, amount);
    all.insert(type);
    if (now == nullptr ? all.size() > options.max_resource_types : !now->bring(type))
      return messages::too_many_resource_types(type, options.max_resource_types);
  }
  return {};
}

partition::partition(world &w, std::string rm_id, const partition_config &c,
                     const std::map<std::string, int32_t> &classes, int64_t check_deadline)
    : shared(w),
      handle(partition_id{++w.partitions_made}),
      rm(std::move(rm_id)),
      name("[" + rm + "]" + c.name),
      plain_name(c.name),
      created_ms(w.now_ms),
      check_deadline_ms(check_deadline) {
  configure(c, classes);
  shared.arm({created_ms + c.tuning.queue_cleanup_ms, 0, timer_kind::cleaner, this, 0, 0});
}

void partition::configure(const partition_config &c, const std::map<std::string, int32_t> &classes) {
  inspected = {};
  const bool judged_anew = config.tuning.reservation_backfill != c.tuning.reservation_backfill;
  const partition_config before = std::exchange(config, c);
  configure_canary(before);
  shapes.followed |= c.node_sort.type == "gpu-pack";
  priority_classes = classes;
  state = shared.stopped[name].partition;
  drains_for_a_time = false;
  shared.disarm([&](const timer &t) { return t.where == this && t.kind == timer_kind::drain; });
  for (const auto &[type, amount] : amounts_in(c)) bring(type);
  std::set<std::string> listed;
  collect_paths(c.root, "", listed);
  for (auto &[path, q] : queues) {
    if (q.managed && !listed.contains(path)) q.state = next_state(q.state, object_event::remove).value_or(q.state);
  }
  configure_queue(c.root, "");
  for (auto &[path, q] : queues) {
    if (is_below_leaf(path)) q.state = next_state(q.state, object_event::remove).value_or(q.state);
  }
  if (!c.tuning.reservation_enabled) switch_off_reservations();
  end_reservations_of_gangs_that_do_not_wait();
  end_too_many_reservations();
  for (const auto &a : applications) {
    for (ask &k : a->asks) {
      if (judged_anew && k.pending() > 0) judge(*a, k);
    }
  }
  look_at_quotas_in(*find_queue("root"));
}

bool partition::is_below_leaf(const std::string &path) const {
  return std::any_of(queues.begin(), queues.end(),
                     [&](const auto &each) { return each.second.leaf && path.starts_with(each.first + "."); });
}

void partition::configure_queue(const queue_config &c, const std::string &parent) {
  const std::string path = path_of(c, parent);
  if (!queues.contains(path)) queues[path].creation = next_queue++;
  queue &q = queues[path];
  q.path = path;
  q.leaf = is_leaf(c, parent);
  q.managed = true;
  if (q.state == object_state::draining) q.state = object_state::active;
  if (shared.stopped[name].queues.contains(path)) q.state = object_state::stopped;
  q.guaranteed = parent.empty() ? amount_map() : set_or_empty(c.guaranteed);
  q.max = parent.empty() ? amount_map() : set_or_empty(c.max);
  q.max_applications = c.max_applications;
  q.properties = parent.empty() ? c.properties : inherit(queues[parent].properties, c.properties);
  q.submit = *parse_acl(c.submit_acl);
  q.admin = *parse_acl(c.admin_acl);
  q.child_template = c.child_template;
  q.limits = c.limits;
  for (const queue_config &child : c.queues) configure_queue(child, path);
}

void partition::change_queue(const tenon::change_queue &c) {
  const std::string path(c.queue);
  std::set<std::string> &stopped = shared.stopped[name].queues;
  const bool stop = c.event == static_cast<uint8_t>(object_event::stop);
  const bool start = c.event == static_cast<uint8_t>(object_event::start);
  const auto found = queues.find(path);
  if (found == queues.end()) {
    if (start) stopped.erase(path);
    return;
  }
  object_state &now = found->second.state;
  if (stop && now == object_state::active) {
    now = object_state::stopped;
    stopped.insert(path);
  } else if (start && now == object_state::stopped) {
    now = object_state::active;
    stopped.erase(path);
  }
}

void partition::change_partition(const tenon::change_partition &c) {
  object_state wanted = state;
  if (c.event == static_cast<uint8_t>(object_event::stop) && state == object_state::active)
    wanted = object_state::stopped;
  else if (c.event == static_cast<uint8_t>(object_event::start) && !drains_for_a_time)
    wanted = object_state::active;
  else if (c.event == static_cast<uint8_t>(object_event::remove))
    wanted = object_state::draining;
  else
    return;
  state = shared.stopped[name].partition = wanted;
}

void partition::leave_out() {
  if (drains_for_a_time) return;
  state = object_state::draining;
  drains_for_a_time = true;
  shared.arm({shared.now_ms + config.tuning.drain_timeout_ms, 0, timer_kind::drain, this, 0, 0});
}

void partition::clean() {
  std::vector<const queue *> bottom_up = depth_first();
  std::reverse(bottom_up.begin(), bottom_up.end());
  for (const queue *q : bottom_up) {
    const bool unwanted = !q->managed || q->state == object_state::draining;
    const bool empty = children_of(q->path).empty() && !has_applications(q->path, false);
    if (unwanted && empty && q->path != "root") queues.erase(q->path);
  }
  if (finished()) return;
  const int64_t period = config.tuning.queue_cleanup_ms;
  const int64_t runs = (shared.now_ms - created_ms) / period + 1;
  shared.arm({created_ms + runs * period, 0, timer_kind::cleaner, this, 0, 0});
}

void partition::fail_everything() {
  const std::string why = messages::partition_removed();
  while (!applications.empty()) {
    application &a = *applications.front();
    if (a.state != application_state::failing) {
      fire(a, application_event::fail, messages::partition_removed(config.tuning.drain_timeout_ms));
    }
    for (const allocation &x : a.allocations) {
      tell(decision_kind::released, a, x, termination::stopped_by_rm, why);
      if (!x.is_proposed()) count_past_use(a, x, nodes.at(x.node));
    }
    a.allocations.clear();
    drop_asks(a, termination::stopped_by_rm, why);
    fire(a, application_event::fail);
  }
}

}  // namespace tenon::naive
