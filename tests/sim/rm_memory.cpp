// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rm_memory.hpp"

#include <algorithm>

namespace tenon::sim {
namespace {

constexpr std::string_view independent = "@independent/";

std::string owner_of(const put_ask &c) {
  return c.application.empty() ? std::string(independent) + std::string(c.key) : std::string(c.application);
}

bool is_there(const kernel_snapshot &s, std::string_view partition, const std::string &app, std::string_view key) {
  for (const partition_snapshot &p : s.partitions) {
    if (p.name != partition) continue;
    for (const application_snapshot &a : p.applications) {
      if (a.id != app) continue;
      return std::any_of(a.asks.begin(), a.asks.end(), [&](const ask_snapshot &k) { return k.key == key; }) ||
             std::any_of(a.allocations.begin(), a.allocations.end(),
                         [&](const allocation_snapshot &x) { return x.key == key || x.replaced_by == key; });
    }
  }
  return false;
}

// As many as there are of the key, placed or pending.
int32_t wanted(const application_snapshot &app, const std::string &key) {
  int64_t count = std::count_if(app.allocations.begin(), app.allocations.end(),
                                [&](const allocation_snapshot &x) { return x.key == key; });
  for (const ask_snapshot &k : app.asks) count += k.key == key ? k.pending_count : 0;
  return static_cast<int32_t>(count);
}

}  // namespace

void rm_memory::note(const timed_command &c, const kernel_snapshot &seen, bool refused) {
  if (refused) return;
  if (std::holds_alternative<register_rm>(c.what)) {
    registrations_.push_back(c);
  } else if (const auto *app = std::get_if<add_application>(&c.what)) {
    auto &asks = asks_[std::string(app->partition)];
    std::erase_if(asks, [&](const auto &item) { return item.first.first == app->application; });
    applications_[std::string(app->partition)][std::string(app->application)] = {*app, c.own};
  } else if (const auto *ask = std::get_if<put_ask>(&c.what)) {
    note_ask(*ask, c.own);
  } else if (const auto *one = std::get_if<put_allocation>(&c.what)) {
    note_existing(one->allocation, one->partition, seen, c.own);
  } else if (const auto *node = std::get_if<add_node>(&c.what)) {
    // The first of a key makes its ask.
    for (size_t i = node->existing.size(); i-- > 0;) note_existing(node->existing[i], node->partition, seen, c.own);
  }
}

void rm_memory::note_ask(const put_ask &c, const std::shared_ptr<testing::arena> &own) {
  asks_[std::string(c.partition)][{owner_of(c), std::string(c.key)}] = {next_arrival_++, c, own};
}

void rm_memory::note_existing(const existing_allocation &e, std::string_view partition, const kernel_snapshot &seen,
                              const std::shared_ptr<testing::arena> &own) {
  if (e.foreign || is_there(seen, partition, owner_of(e.ask), e.ask.key)) return;
  put_ask c = e.ask;
  c.partition = partition;
  note_ask(c, own);
}

std::vector<timed_command> rm_memory::all_again(const kernel_snapshot &s, bool with_nodes) const {
  std::vector<timed_command> out;
  for (timed_command c : registrations_) {
    c.now_ms = s.now_ms;
    out.push_back(c);
  }
  for (const partition_snapshot &p : s.partitions) {
    for (const application_snapshot &app : p.applications) {
      if (app.id.starts_with(independent)) continue;
      const told_application &told = applications_.at(p.name).at(app.id);
      out.push_back({s.now_ms, told.what, told.own});
    }
    tell_nodes(p, with_nodes, out);
    tell_asks(p, out);
  }
  for (timed_command &c : out) c.now_ms = s.now_ms;
  return out;
}

existing_allocation rm_memory::as_existing(const partition_snapshot &p, const application_snapshot &app,
                                           const allocation_snapshot &x, testing::arena &own) const {
  existing_allocation e;
  e.ask.partition = own.text(p.name);
  e.ask.application = own.text(app.id.starts_with(independent) ? "" : app.id);
  e.ask.key = own.text(x.key);
  e.ask.resources = own.resources(x.resources);
  e.ask.max_allocations = wanted(app, x.key);
  e.ask.priority = x.priority;
  e.ask.create_time_ms = x.create_time_ms;
  e.ask.task_group = own.text(x.task_group);
  e.ask.placeholder = x.placeholder;
  e.ask.originator = x.originator;
  e.bind_time_ms = x.bind_time_ms;
  const auto &asks = asks_.at(p.name);
  if (const auto found = asks.find({app.id, x.key}); found != asks.end()) {
    e.ask.tags = found->second.what.tags;
    e.ask.execution_timeout_ms = found->second.what.execution_timeout_ms;
  }
  return e;
}

void rm_memory::tell_nodes(const partition_snapshot &p, bool with_nodes, std::vector<timed_command> &to) const {
  const auto own = std::make_shared<testing::arena>();
  struct placed {
    uint64_t sequence;
    std::string node;
    existing_allocation what;
  };
  std::vector<placed> all;
  for (const application_snapshot &app : p.applications) {
    for (const allocation_snapshot &x : app.allocations) {
      all.push_back({x.sequence, x.node, as_existing(p, app, x, *own)});
    }
  }
  std::sort(all.begin(), all.end(), [](const placed &a, const placed &b) { return a.sequence < b.sequence; });
  for (const node_snapshot &n : p.nodes) {
    add_node c;
    c.partition = own->text(p.name);
    c.node = own->text(n.id);
    c.capacity = own->resources(n.capacity);
    c.occupied = own->resources(n.occupied);
    c.attributes = own->tags(n.attributes);
    c.schedulable = n.schedulable;
    std::vector<existing_allocation> existing;
    for (const placed &x : all) {
      if (x.node == n.id) existing.push_back(x.what);
    }
    if (with_nodes) c.existing = own->existing(std::move(existing));
    to.push_back({0, c, own});
  }
  if (with_nodes) return;
  for (const placed &x : all) to.push_back({0, put_allocation{own->text(p.name), own->text(x.node), x.what}, own});
}

void rm_memory::tell_asks(const partition_snapshot &p, std::vector<timed_command> &to) const {
  std::map<uint64_t, timed_command> by_arrival;
  for (const application_snapshot &app : p.applications) {
    for (const ask_snapshot &k : app.asks) {
      const told_ask &told = asks_.at(p.name).at({app.id, k.key});
      put_ask c = told.what;
      if (app.id.starts_with(independent)) c.application = {};
      c.create_time_ms = k.create_time_ms;
      c.max_allocations = wanted(app, k.key);
      by_arrival[told.arrival] = {0, c, told.own};
    }
  }
  for (const auto &[arrival, c] : by_arrival) to.push_back(c);
}

}  // namespace tenon::sim
