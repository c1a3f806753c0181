// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A partition as the snapshot's plain values.
#include "tenon/kernel/snapshot.hpp"

#include <algorithm>

#include "partition.hpp"

namespace tenon::naive {
namespace {

ask_snapshot shown(const ask &k) {
  ask_snapshot out;
  out.key = k.key;
  out.resources = without_zeros(k.resources);
  out.priority = k.priority;
  out.pending_count = k.pending();
  out.max_allocations = k.max_allocations;
  out.placeholder = k.placeholder;
  out.task_group = k.task_group;
  out.required_node = k.required_node;
  out.create_time_ms = k.create_time_ms;
  return out;
}

allocation_snapshot shown(const allocation &x, const std::string &application) {
  allocation_snapshot out;
  out.key = x.key;
  out.application = application;
  out.node = x.node;
  out.sequence = x.sequence;
  out.resources = without_zeros(x.resources);
  out.priority = x.priority;
  out.placeholder = x.placeholder;
  out.preempted = x.state == allocation_state::preempting;
  out.released = x.state == allocation_state::expiring || x.state == allocation_state::replacing;
  out.originator = x.originator;
  out.task_group = x.task_group;
  out.state = x.state;
  out.create_time_ms = x.create_time_ms;
  out.bind_time_ms = x.bind_time_ms;
  if (x.under_way) {
    out.replaced_by = x.under_way->real.key;
    out.replaced_on = x.under_way->node;
    out.proposed_as = x.under_way->number;
  }
  out.detail = to_text(x.detail);
  return out;
}

application_snapshot shown(const application &a) {
  application_snapshot out;
  out.id = a.id;
  out.queue = a.queue;
  out.user = a.user;
  out.groups = a.groups;
  out.state = a.state;
  out.state_log = a.state_log;
  for (const allocation &x : a.allocations) {
    add(x.placeholder ? out.placeholders : out.allocated, without_zeros(x.resources));
    out.allocations.push_back(shown(x, a.id));
  }
  std::vector<const ask *> asks;
  for (const ask &k : a.asks) {
    if (k.pending() == 0) continue;
    add(out.pending, times(without_zeros(k.resources), k.pending()));
    asks.push_back(&k);
  }
  std::sort(asks.begin(), asks.end(), [](const ask *x, const ask *y) { return tried_before(*x, *y); });
  for (const ask *k : asks) out.asks.push_back(shown(*k));
  std::map<std::string, placeholder_snapshot> groups;
  for (const auto &[group, gone] : a.placeholder_data) {
    groups[group] = {group, gone.replaced + gone.timed_out, gone.replaced, gone.timed_out, {}};
  }
  for (const ask &k : a.asks) {
    if (k.placeholder && k.pending() > 0) groups[k.task_group].count += k.pending();
  }
  for (const allocation &x : a.allocations) {
    if (x.placeholder) ++groups[x.task_group].count;
  }
  for (auto &[group, data] : groups) {
    data.task_group = group;
    out.placeholder_data.push_back(data);
  }
  out.most_allocated = without_zeros(a.most_allocated);
  for (const auto &[of, amounts] : a.amount_seconds) {
    out.past_use.push_back({of.first, of.second, without_zeros(amounts)});
  }
  out.message = a.message;
  out.submitted_ms = a.submitted_ms;
  out.started_ms = a.started_ms;
  out.finished_ms = a.finished_ms;
  return out;
}

std::vector<usage_snapshot> shown(const std::map<std::string, std::map<std::string, tally>> &all,
                                  const std::map<std::string, std::map<std::string, std::set<std::string>>> &running) {
  std::vector<usage_snapshot> out;
  for (const auto &[name, paths] : all) {
    for (const auto &[path, of] : paths) {
      if (of.for_user == 0) continue;
      const std::set<std::string> &ids = running.at(name).at(path);
      out.push_back({name, path, without_zeros(of.allocated), {ids.begin(), ids.end()}, {}, 0});
    }
  }
  return out;
}

}  // namespace

partition_snapshot partition::snapshot() const {
  const usage used = measure();
  partition_snapshot out;
  out.name = name;
  out.state = state;
  out.node_sort_policy = config.node_sort.type;
  out.canary = canary_standing();
  out.capacity = used.root_max;
  out.used = without_zeros(used.of_queue("root").allocated);
  for (const queue *q : depth_first()) {
    const tally of = used.of_queue(q->path);
    queue_snapshot s;
    s.path = q->path;
    s.state = q->state;
    s.leaf = q->leaf;
    s.managed = q->managed;
    s.allocated = without_zeros(of.allocated);
    s.pending = without_zeros(of.pending);
    s.preempting = without_zeros(of.preempting);
    s.guaranteed = q->guaranteed;
    if (!q->max.empty()) s.max = q->max;
    if (q->path == "root" && !used.root_max.empty()) s.max = used.root_max;
    s.properties = q->properties;
    s.running_apps = of.running;
    s.max_running_apps = q->max_applications;
    s.current_priority = priority_of(*q);
    out.queues.push_back(std::move(s));
  }
  std::map<std::string, std::map<std::string, std::set<std::string>>> users, groups;
  std::map<std::string, std::map<uint64_t, std::string>> on_node, coming_to_node;
  for (const auto &a : applications) {
    out.applications.push_back(shown(*a));
    for (const reservation &r : reservations) {
      if (r.application == a->uid) out.applications.back().reservations.push_back(r.node);
    }
    out.allocations += a->allocations.size();
    for (const allocation &x : a->allocations) {
      on_node[x.node][x.sequence] = a->id + "/" + x.key + "#" + std::to_string(x.sequence);
      if (x.under_way && x.under_way->node != x.node) {
        coming_to_node[x.under_way->node][x.sequence] = a->id + "/" + x.under_way->real.key + "#0";
      }
    }
    if (!a->runs_for_user()) continue;
    for (const std::string &path : path_down(a->queue)) {
      users[a->user][path].insert(a->id);
      groups[group_of(*a)][path].insert(a->id);
    }
  }
  for (const auto &a : ended) out.ended.push_back(shown(*a));
  for (const auto &[id, n] : nodes) {
    node_snapshot s;
    s.id = id;
    s.schedulable = n.schedulable;
    s.capacity = n.capacity;
    if (used.on_node.contains(id)) s.allocated = without_zeros(used.on_node.at(id));
    s.occupied = n.occupied;
    for (const auto &[key, x] : foreign) {
      if (x.node == id) add(s.occupied, x.resources);
    }
    s.occupied = without_zeros(s.occupied);
    s.available = without_zeros(used.free_on_node.at(id));
    s.devices = used.free_devices.at(id);
    s.attributes = n.attributes;
    for (const auto &[sequence, text] : on_node[id]) s.allocations.push_back(text);
    for (const auto &[sequence, text] : coming_to_node[id]) s.allocations.push_back(text);
    for (const reservation &r : reservations_on(id)) {
      for (const auto &a : applications) {
        for (const ask &k : a->asks) {
          if (a->uid == r.application && k.arrival == r.ask) s.reservations.push_back(a->id + "/" + k.key);
        }
      }
    }
    out.nodes.push_back(std::move(s));
  }
  out.users = shown(used.users, users);
  out.groups = shown(used.groups, groups);
  return out;
}

}  // namespace tenon::naive
