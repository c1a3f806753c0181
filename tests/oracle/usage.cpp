// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Usage and the limits of users and groups.
#include "usage.hpp"

#include <algorithm>

#include "partition.hpp"

namespace tenon::naive {
namespace {

bool contains(const std::vector<std::string> &all, const std::string &one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

tally tally_of(const application &a) {
  tally out;
  for (const allocation &x : a.allocations) {
    add(out.allocated, x.resources);
    if (x.state == allocation_state::preempting) add(out.preempting, x.resources);
    if (x.state == allocation_state::preempting || x.state == allocation_state::expiring) add(out.ending, x.resources);
  }
  for (const ask &k : a.asks) add(out.pending, times(k.resources, k.pending()));
  const bool runs = a.state == application_state::starting || a.state == application_state::running;
  out.running = runs ? 1 : 0;
  out.counted = a.counts_in_queues() ? 1 : 0;
  out.for_user = a.runs_for_user() ? 1 : 0;
  return out;
}

void count_in(tally &to, const tally &what) {
  add(to.allocated, what.allocated);
  add(to.pending, what.pending);
  add(to.preempting, what.preempting);
  add(to.ending, what.ending);
  add(to.claimed, what.claimed);
  to.running += what.running;
  to.counted += what.counted;
  to.for_user += what.for_user;
}

}  // namespace

usage partition::measure() const {
  usage out;
  for (const auto &a : applications) {
    tally own = tally_of(*a);
    const auto claim = [&](const ask &by, const amount_map &needs) {
      add(own.claimed, needs);
      for (const std::string &path : path_down(a->queue)) {
        amount_map missing = needs;
        subtract(missing, victims_in(path, by));
        for (const auto &[type, amount] : missing) {
          if (amount > 0) out.awaited_by[by.arrival][path][type] = amount;
        }
      }
    };
    for (const ask &k : a->asks) {
      if (claims_room(k)) claim(k, k.resources);
      if (k.placeholder) out.claimant[k.arrival] = claimant_of(*a, k).arrival;
    }
    if (const std::vector<reservation> of_gang = reservations_of_gang(*a); is_freed_for_gang(*a)) {
      amount_map needs;
      for (const reservation &r : of_gang) add(needs, ask_of_reservation(r).resources);
      claim(ask_of_reservation(of_gang.front()), needs);
    }
    const std::string group = group_of(*a);
    for (const std::string &path : path_down(a->queue)) {
      count_in(out.queues[path], own);
      count_in(out.users[a->user][path], own);
      if (!group.empty()) count_in(out.groups[group][path], own);
    }
    for (const allocation &x : a->allocations) {
      add(out.on_node[x.node], x.resources);
      const bool elsewhere = x.under_way && x.under_way->node != x.node;
      if (elsewhere) add(out.on_node[x.under_way->node], x.under_way->real.resources);
    }
  }
  for (const auto &[id, n] : nodes) {
    add(out.root_max, n.capacity);
    amount_map &free = out.free_on_node[id] = n.capacity;
    subtract(free, n.occupied);
    subtract(free, out.on_node[id]);
    out.free_devices[id] = free_devices(n);
  }
  for (const auto &[key, x] : foreign) subtract(out.free_on_node[x.node], x.resources);
  for (const auto &[id, n] : nodes) {
    for (const auto &[type, amount] : out.free_on_node[id]) {
      if (n.schedulable && amount > 0) add(out.left, {{type, amount}});
    }
  }
  out.root_max = without_zeros(out.root_max);
  return out;
}

device_map partition::free_devices(const node &n, bool foreign_alone) const {
  device_map out;
  for (const auto &[type, by] : divisions_in(n.attributes)) {
    out[type].assign(static_cast<size_t>(by.count), by.amount);
  }
  for (const auto &[key, x] : foreign) {
    if (x.node == n.id) take(out, x.detail);
  }
  if (foreign_alone) return out;
  for (const auto &a : applications) {
    for (const allocation &x : a->allocations) {
      if (x.node == n.id) take(out, x.detail);
      if (x.node != n.id && x.under_way && x.under_way->node == n.id) take(out, x.under_way->detail);
    }
  }
  return out;
}

free_capacity partition::free_on(const node &n, const usage &used) {
  return {used.free_on_node.at(n.id), used.free_devices.at(n.id)};
}

bool partition::fits_in(const node &n, const free_capacity &r, const ask &k) {
  return fits(r.free, k.resources) && without_devices(n, r.devices, k).empty();
}

std::set<std::string> partition::without_devices(const node &n, const device_map &devices, const ask &k) {
  const division_map divisions = divisions_in(n.attributes);
  std::set<std::string> out;
  for (const auto &[type, free] : devices) {
    const int64_t amount = amount_of(k.resources, type), size = divisions.at(type).amount;
    if (amount > 0 && !choose_devices(free, size, divisions_in(k.tags), type, amount)) out.insert(type);
  }
  return out;
}

const limit_config *partition::user_limit(const queue &q, const std::string &user) {
  for (const std::string &who : {user, std::string("*")}) {
    for (const limit_config &limit : q.limits) {
      if (contains(limit.users, who)) return &limit;
    }
  }
  return nullptr;
}

const limit_config *partition::group_limit(const queue &q, const std::string &group) {
  for (const limit_config &limit : q.limits) {
    if (contains(limit.groups, group)) return &limit;
  }
  return nullptr;
}

std::string partition::group_of(const application &a) const {
  std::vector<std::string> path = path_down(a.queue);
  std::reverse(path.begin(), path.end());
  for (const std::string &at : path) {
    const queue *q = find_queue(at);
    if (q == nullptr) continue;
    for (const limit_config &limit : q->limits) {
      for (const std::string &group : limit.groups) {
        if (contains(a.groups, group)) return group;
      }
    }
    if (group_limit(*q, "*") != nullptr) return "*";
  }
  return {};
}

}  // namespace tenon::naive
