// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/audit.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tenon/kernel/devices.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/states.hpp"

namespace tenon {
namespace {

void add(amount_map &to, const amount_map &what, int64_t times = 1) {
  for (const auto &[type, amount] : what) to[type] += amount * times;
}

bool same(const amount_map &a, const amount_map &b) {
  amount_map difference = a;
  add(difference, b, -1);
  return std::all_of(difference.begin(), difference.end(), [](const auto &item) { return item.second == 0; });
}

bool any_below_zero(const amount_map &amounts) {
  return std::any_of(amounts.begin(), amounts.end(), [](const auto &one) { return one.second < 0; });
}

// What is found in one partition.
class findings {
 public:
  findings(const partition_snapshot &in, std::vector<audit_finding> &out) : in_(in), out_(out) {}

  void add(audit_kind kind, const std::string &of, const std::string &text) {
    out_.push_back({kind, in_.name, of, text});
  }
  void holds(bool yes, audit_kind kind, const std::string &of, const std::string &text) {
    if (!yes) add(kind, of, text);
  }
  void equal(audit_kind kind, const std::string &of, const char *what, const amount_map &said, const amount_map &sum) {
    if (same(said, sum)) return;
    add(kind, of, std::string(what) + " is " + messages::amounts(said) + ", and sums to " + messages::amounts(sum));
  }

 private:
  const partition_snapshot &in_;
  std::vector<audit_finding> &out_;
};

std::string parent_of(const std::string &path) {
  const size_t dot = path.rfind('.');
  return dot == std::string::npos ? std::string() : path.substr(0, dot);
}

void check_queues(findings &c, const partition_snapshot &p) {
  struct sums {
    amount_map allocated, pending, preempting;
    uint64_t running = 0, may_run = 0;  // applications: of those that wait some keep a place for what they have
  };
  std::map<std::string, sums> below;  // by path
  for (const application_snapshot &a : p.applications) {
    sums &s = below[a.queue];
    add(s.allocated, a.allocated);
    add(s.allocated, a.placeholders);
    add(s.pending, a.pending);
    const bool runs = a.state == application_state::starting || a.state == application_state::running;
    if (runs) ++s.running;
    if (!runs && !a.allocations.empty()) ++s.may_run;
    for (const allocation_snapshot &x : a.allocations) {
      if (x.state == allocation_state::preempting) add(s.preempting, x.resources);
    }
  }
  // A parent is before its children.
  for (auto q = p.queues.rbegin(); q != p.queues.rend(); ++q) {
    const sums &s = below[q->path];
    c.equal(audit_kind::sum, q->path, "allocated", q->allocated, s.allocated);
    c.equal(audit_kind::sum, q->path, "pending", q->pending, s.pending);
    c.equal(audit_kind::sum, q->path, "preempting", q->preempting, s.preempting);
    if (q->running_apps < s.running || q->running_apps > s.running + s.may_run)
      c.add(audit_kind::sum, q->path,
            std::to_string(q->running_apps) + " applications have places, of " + std::to_string(s.running) +
                " that run and " + std::to_string(s.may_run) + " that may");
    if (q->path != "root") {
      sums &above = below[parent_of(q->path)];
      add(above.allocated, q->allocated);
      add(above.pending, q->pending);
      add(above.preempting, q->preempting);
      above.running += q->running_apps;  // these all have their places
    }
    below.erase(q->path);
  }
  for (const auto &[path, s] : below) c.add(audit_kind::place, path, "there is no such queue, and it has applications");
  if (!p.queues.empty()) c.equal(audit_kind::sum, "partition", "used", p.used, p.queues.front().allocated);
}

// What a user has in a queue is what the user's applications have there and below.
void check_users(findings &c, const partition_snapshot &p) {
  std::map<std::pair<std::string, std::string>, amount_map> sums;  // by user and queue
  for (const application_snapshot &a : p.applications) {
    for (std::string path = a.queue; !path.empty(); path = parent_of(path)) {
      amount_map &sum = sums[{a.user, path}];
      add(sum, a.allocated);
      add(sum, a.placeholders);
    }
  }
  for (const usage_snapshot &u : p.users)
    c.equal(audit_kind::sum, "user " + u.name + " in " + u.queue, "usage", u.usage, sums[{u.name, u.queue}]);
}

// Every placeholder is in one place.
void check_placeholders(findings &c, const application_snapshot &a) {
  std::map<std::string, int64_t> counts;
  for (const ask_snapshot &k : a.asks) {
    if (k.placeholder) counts[k.task_group] += k.pending_count;
  }
  for (const allocation_snapshot &x : a.allocations) {
    if (x.placeholder) ++counts[x.task_group];
    const std::string of = a.id + '/' + x.key;
    const auto in_change = x.proposed_as != 0 ? allocation_state::allocated : allocation_state::replacing;
    c.holds(x.replaced_by.empty() || (x.placeholder && x.state == in_change), audit_kind::place, of,
            "it is replaced, and not Replacing");
    c.holds(x.state != allocation_state::replacing || x.placeholder, audit_kind::place, of,
            "it is Replacing, and no placeholder");
  }
  for (const placeholder_snapshot &g : a.placeholder_data) {
    const bool is_sum = g.count == g.replaced + g.timed_out + counts[g.task_group];
    c.holds(is_sum && g.replaced >= 0 && g.timed_out >= 0, audit_kind::sum, a.id,
            "placeholders of task group " + g.task_group + " do not add up");
  }
}

void check_application(findings &c, const application_snapshot &a) {
  amount_map pending, real, placeholders;
  std::set<std::string> keys;
  for (const ask_snapshot &k : a.asks) {
    const std::string of = a.id + '/' + k.key;
    add(pending, k.resources, k.pending_count);
    c.holds(keys.insert(k.key).second, audit_kind::place, of, "two asks have this key");
    c.holds(k.pending_count > 0 && k.pending_count <= k.max_allocations, audit_kind::sum, of,
            "fewer than one or more than all of it are pending");
    c.holds(k.state == ask_state::pending, audit_kind::place, of, "it is not Pending");
  }
  for (const allocation_snapshot &x : a.allocations) add(x.placeholder ? placeholders : real, x.resources);
  c.equal(audit_kind::sum, a.id, "pending", a.pending, pending);
  c.equal(audit_kind::sum, a.id, "allocated", a.allocated, real);
  c.equal(audit_kind::sum, a.id, "placeholders", a.placeholders, placeholders);
  check_placeholders(c, a);
  const bool is_idle = a.state == application_state::completing || a.state == application_state::new_;
  c.holds(!is_idle || (a.asks.empty() && a.allocations.empty()), audit_kind::place, a.id,
          "it is idle by its state, and has something");
}

// What applications say of a node.
struct on_node {
  amount_map allocated;
  std::set<std::string> names;     // as nodes list them
  bool replacement_comes = false;  // how much that takes is not shown
};

std::map<std::string, on_node> allocations_by_node(findings &c, const partition_snapshot &p) {
  std::map<std::string, on_node> out;
  std::set<uint64_t> sequences;
  for (const application_snapshot &a : p.applications) {
    for (const allocation_snapshot &x : a.allocations) {
      const std::string name = a.id + '/' + x.key + '#' + std::to_string(x.sequence);
      add(out[x.node].allocated, x.resources);
      out[x.node].names.insert(name);
      c.holds(sequences.insert(x.sequence).second, audit_kind::place, name, "two allocations have this number");
      if (x.replaced_on.empty() || x.replaced_on == x.node) continue;
      out[x.replaced_on].names.insert(a.id + '/' + x.replaced_by + "#0");
      out[x.replaced_on].replacement_comes = true;
    }
  }
  return out;
}

void check_nodes(findings &c, const partition_snapshot &p) {
  auto said_of = allocations_by_node(c, p);
  amount_map capacity;
  for (const node_snapshot &n : p.nodes) {
    const on_node &said = said_of[n.id];
    add(capacity, n.capacity);
    if (!said.replacement_comes) c.equal(audit_kind::node, n.id, "allocated", n.allocated, said.allocated);
    // More may run there than it has, since its capacity was lowered or others use it: then less than nothing is left.
    amount_map left = n.capacity;
    add(left, n.allocated, -1);
    add(left, n.occupied, -1);
    c.equal(audit_kind::node, n.id, "available", n.available, left);
    c.holds(!any_below_zero(n.capacity) && !any_below_zero(n.allocated) && !any_below_zero(n.occupied),
            audit_kind::node_below_zero, n.id, "an amount is below zero");
    std::set<std::string> listed(n.allocations.begin(), n.allocations.end());
    for (const std::string &one : listed)
      c.holds(said.names.contains(one), audit_kind::orphan_on_node, one,
              "node " + n.id + " has it, and no application");
    for (const std::string &one : said.names)
      c.holds(listed.contains(one), audit_kind::orphan_of_application, one, "node " + n.id + " does not have it");
    said_of.erase(n.id);
  }
  for (const auto &[id, said] : said_of) {
    for (const std::string &one : said.names) c.add(audit_kind::orphan_of_application, one, "there is no node " + id);
  }
  c.equal(audit_kind::total, "partition", "capacity", p.capacity, capacity);
  c.holds(!any_below_zero(p.capacity) && !any_below_zero(p.used), audit_kind::partition_below_zero, "partition",
          "an amount is below zero");
}

// Every reservation is of one pending ask on one node that is there; a node has one, or some of required-node
// asks or of placeholders of one application. Such may have several.
void check_reservations(findings &c, const partition_snapshot &p) {
  std::map<std::string, const ask_snapshot *> asks;  // of applications that have reservations
  std::map<std::string, size_t> of_application;
  for (const application_snapshot &a : p.applications) {
    if (a.reservations.empty()) continue;
    of_application[a.id] = a.reservations.size();
    for (const ask_snapshot &k : a.asks) asks[a.id + '/' + k.key] = &k;
  }
  std::set<std::string> reserved;
  for (const node_snapshot &n : p.nodes) {
    for (const std::string &name : n.reservations) {
      const bool is_first = reserved.insert(name).second;
      c.holds(asks.contains(name), audit_kind::place, name, "it is reserved, and not pending");
      if (!asks.contains(name)) continue;
      const ask_snapshot &k = *asks[name];
      const std::string application = name.substr(0, name.size() - k.key.size() - 1);
      const bool with_gang = std::all_of(n.reservations.begin(), n.reservations.end(), [&](const std::string &other) {
        const auto found = asks.find(other);
        return found != asks.end() && found->second->placeholder && other.starts_with(application + '/');
      });
      --of_application[application];
      c.holds(is_first || with_gang, audit_kind::place, name, "it is reserved twice");
      const bool required = k.required_node == n.id;
      c.holds(required || k.required_node.empty(), audit_kind::place, name,
              "it reserves another node than it requires");
      c.holds(required || with_gang || n.reservations.size() == 1, audit_kind::place, n.id,
              "it has several reservations");
      c.holds(required || n.schedulable, audit_kind::place, n.id, "it is reserved, and drains");
    }
  }
  for (const auto &[id, left] : of_application)
    c.holds(left == 0, audit_kind::place, id, "it has other reservations than nodes have for it");
}

// What is held of each type by a detail: "gpu=500@0,3" gives 500 on devices 0 and 3.
std::map<std::string, std::map<size_t, int64_t>> holdings_of(const allocation_snapshot &x) {
  std::map<std::string, std::map<size_t, int64_t>> out;
  const auto detail = parse_detail(x.detail);
  if (!detail) return out;
  for (const device_share &share : *detail) {
    for (size_t device = 0; device < max_devices; ++device) {
      if ((share.devices >> device & 1U) != 0) out[share.type][device] = share.amount;
    }
  }
  return out;
}

// Details sum up to what allocations have; no two on a node hold more of a device than they leave free.
void check_devices(findings &c, const partition_snapshot &p) {
  std::map<std::string, std::map<std::string, std::map<size_t, int64_t>>> held;  // node, type, device
  for (const application_snapshot &a : p.applications) {
    for (const allocation_snapshot &x : a.allocations) {
      const std::string of = a.id + '/' + x.key;
      c.holds(parse_detail(x.detail).has_value(), audit_kind::devices, of, "its detail cannot be read: " + x.detail);
      for (const auto &[type, devices] : holdings_of(x)) {
        int64_t sum = 0;
        for (const auto &[device, amount] : devices) {
          sum += amount;
          held[x.node][type][device] += amount;
        }
        const auto has = x.resources.find(type);
        c.holds(has != x.resources.end() && has->second == sum, audit_kind::devices, of,
                "it has another amount of " + type + " than its detail");
      }
    }
  }
  for (const node_snapshot &n : p.nodes) {
    for (const auto &[type, free] : n.devices) {
      const auto said = n.attributes.find(std::string(devices_prefix) + type);
      const auto split = parse_device_split(said == n.attributes.end() ? std::string() : said->second);
      c.holds(split && split->count == free.size(), audit_kind::devices, n.id,
              "it has other devices of " + type + " than it says");
      // Foreign allocations hold some too, and are not shown.
      for (size_t i = 0; split && i < free.size(); ++i) {
        c.holds(free[i] <= split->amount - held[n.id][type][i], audit_kind::devices, n.id,
                "more is free of " + type + " " + std::to_string(i) + " than nobody holds");
      }
    }
  }
}

}  // namespace

std::vector<audit_finding> audit(const kernel_snapshot &state) {
  std::vector<audit_finding> out;
  for (const partition_snapshot &p : state.partitions) {
    findings c(p, out);
    check_queues(c, p);
    check_users(c, p);
    check_nodes(c, p);
    check_reservations(c, p);
    check_devices(c, p);
    for (const application_snapshot &a : p.applications) check_application(c, a);
    for (const application_snapshot &a : p.ended)
      c.holds(a.asks.empty() && a.allocations.empty(), audit_kind::place, a.id, "it has ended, and has something");
  }
  return out;
}

std::string text_of(const audit_finding &f) { return f.partition + ": " + f.of + ": " + f.text; }

}  // namespace tenon
