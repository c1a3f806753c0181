// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::sim {
namespace {

class writer {
 public:
  std::vector<std::string> out;

  template <class... Parts>
  void add(const std::string &place, const Parts &...parts) {
    std::string &text = out.emplace_back(place + ':');
    ((text += ' ', append(text, parts)), ...);
  }

 private:
  static void append(std::string &to, const std::string &part) { to += part; }
  static void append(std::string &to, std::string_view part) { to += part; }
  static void append(std::string &to, const char *part) { to += part; }
  static void append(std::string &to, const amount_map &part) { to += messages::amounts(part); }
  static void append(std::string &to, const std::optional<amount_map> &part) {
    to += part ? messages::amounts(*part) : "none";
  }
  static void append(std::string &to, const std::vector<std::string> &part) {
    to += '[';
    for (const std::string &one : part) to += one + ' ';
    to += ']';
  }
  static void append(std::string &to, const std::vector<int64_t> &part) {
    for (const int64_t one : part) to += std::to_string(one) + ' ';
  }
  static void append(std::string &to, const std::map<std::string, std::string> &part) {
    to += '{';
    for (const auto &[key, value] : part) to += key + '=' + value + ' ';
    to += '}';
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  static void append(std::string &to, T part) { to += std::to_string(part); }
};

void add(writer &w, const std::string &place, const application_snapshot &a, const naive::features &compared) {
  w.add(place, a.queue, a.user, a.groups, name(a.state), "'" + a.message + "'");
  w.add(place + " times", a.submitted_ms, a.started_ms, a.finished_ms);
  w.add(place + " amounts", a.allocated, a.placeholders, a.pending, a.most_allocated);
  for (const past_use_snapshot &past : a.past_use) {
    w.add(place + " past use", static_cast<int>(past.what), past.instance_type, past.amount_seconds);
  }
  for (const auto &[at_ms, state] : a.state_log) w.add(place + " log", at_ms, name(state));
  for (const ask_snapshot &k : a.asks) {
    w.add(place + " ask " + k.key, k.resources, k.priority, k.pending_count, k.max_allocations, k.placeholder,
          k.task_group, k.required_node, k.create_time_ms, name(k.state));
  }
  for (const allocation_snapshot &x : a.allocations) {
    w.add(place + " allocation " + x.key, x.sequence, x.application, x.node, x.resources, x.priority, x.placeholder,
          x.preempted, x.released, x.originator, x.task_group, name(x.state), x.create_time_ms, x.bind_time_ms,
          x.detail);
  }
  w.add(place + " reservations", a.reservations);
  if (!compared.gangs) return;
  for (const placeholder_snapshot &g : a.placeholder_data) {
    w.add(place + " group " + g.task_group, g.count, g.replaced, g.timed_out);
  }
  for (const allocation_snapshot &x : a.allocations) {
    if (!x.replaced_by.empty())
      w.add(place + " replacement " + x.key, x.sequence, x.replaced_by, x.replaced_on, x.proposed_as);
  }
}

void add(writer &w, const std::string &place, const queue_snapshot &q) {
  w.add(place, name(q.state), q.leaf ? "leaf" : "parent", q.managed ? "managed" : "dynamic");
  w.add(place + " usage", q.allocated, q.pending, q.preempting, q.running_apps);
  w.add(place + " limits", q.guaranteed, q.max, q.max_running_apps);
  w.add(place + " properties", q.properties, q.current_priority);
}

}  // namespace

std::vector<std::string> lines_of(const kernel_snapshot &s, const naive::features &compared) {
  writer w;
  w.add("now", s.now_ms);
  for (const partition_snapshot &p : s.partitions) {
    const std::string in = p.name + ' ';
    w.add(p.name, name(p.state), p.node_sort_policy, p.capacity, p.used, p.allocations);
    if (p.canary) {
      const canary_snapshot &c = *p.canary;
      w.add(in + "canary", c.kind, c.policy, c.queues, c.share, c.salt, c.active, c.why, c.since_ms);
      w.add(in + "canary's side", c.faults, c.canary.applications, c.canary.placed, c.canary.waited_ms);
      w.add(in + "canary's others", c.others.applications, c.others.placed, c.others.waited_ms);
    }
    for (const queue_snapshot &q : p.queues) add(w, in + q.path, q);
    for (const node_snapshot &n : p.nodes) {
      w.add(in + n.id, n.schedulable, n.capacity, n.allocated, n.occupied, n.available);
      w.add(in + n.id + " has", n.attributes, n.allocations, n.reservations);
      for (const auto &[type, free] : n.devices) w.add(in + n.id + " devices " + type, free);
    }
    for (const application_snapshot &a : p.applications) add(w, in + a.id, a, compared);
    for (const application_snapshot &a : p.ended) add(w, in + "ended " + a.id, a, compared);
    for (const usage_snapshot &u : p.users) w.add(in + "user " + u.name + ' ' + u.queue, u.usage, u.running);
    for (const usage_snapshot &u : p.groups) w.add(in + "group " + u.name + ' ' + u.queue, u.usage, u.running);
  }
  return w.out;
}

}  // namespace tenon::sim
