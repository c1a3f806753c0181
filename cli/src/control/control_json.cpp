// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "control/control_json.hpp"

#include <span>
#include <utility>

#include "tenon/json/state_json.hpp"
#include "tenon/kernel/partition_name.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

using state_json::member;
using state_json::old_key;

constexpr old_key old_keys[] = {{"ask", "pending_count", "pending"},
                                {"ask", "blocker", "waits_for"},
                                {"allocation", "detail", "devices"},
                                {"allocation", "bind_time_ms", "bound_ms"}};
// What runs has a key of its own, `running`, and is there where one of them is asked for by its name.
constexpr member of_one[] = {{"application", "allocations"}, {"node", "allocations"}, {"node", "foreign"}};
// A list has no details.
constexpr member of_many[] = {
    {"application", "allocations"}, {"node", "allocations"}, {"node", "foreign"}, {"application", "state_log"},
    {"application", "past_use"},    {"application", "tags"}, {"ask", "tags"}};
constexpr member no_lists[] = {{"partition", "queues"}, {"partition", "nodes"}, {"partition", "applications"},
                               {"partition", "ended"},  {"partition", "users"}, {"partition", "groups"}};

state_json::style style_of(const state_filter &which) {
  return {old_keys, which.name.empty() ? std::span<const member>(of_many) : std::span<const member>(of_one)};
}

bool is_below(const std::string &queue, const std::string &wanted) {
  if (wanted.empty() || queue == wanted) return true;
  return queue.size() > wanted.size() && queue.starts_with(wanted) && queue[wanted.size()] == '.';
}

bool is_any_or(const std::string &wanted, std::string_view have) { return wanted.empty() || wanted == have; }

// Partitions that are wanted, with what `list` gives of each as `key`, no more than the limit.
template <class List>
json::object in_partitions(const kernel_snapshot &from, const state_filter &which, std::string_view key, List list) {
  uint64_t left = which.limit == 0 ? UINT64_MAX : which.limit;
  bool more = false;
  json::array partitions;
  for (const partition_snapshot &one : from.partitions) {
    if (!is_partition(one.name, which.partition)) continue;
    json::array items;
    list(one, [&](json::object item) {
      if (left == 0) {
        more = true;
        return false;
      }
      --left;
      items.push_back(std::move(item));
      return true;
    });
    json::object partition = state_json::write(one, {{}, no_lists});
    partition[key] = std::move(items);
    partitions.push_back(std::move(partition));
  }
  return {{"now_ms", from.now_ms}, {"partitions", std::move(partitions)}, {"more", more}};
}

json::object allocation_of(const allocation_snapshot &one) { return state_json::write(one, {old_keys}); }

json::array running_on(const partition_snapshot &p, const node_snapshot &n) {
  json::array out;
  for (const application_snapshot &app : p.applications)
    for (const allocation_snapshot &one : app.allocations)
      if (one.node == n.id) out.push_back(allocation_of(one));
  for (const allocation_snapshot &one : n.foreign) out.push_back(allocation_of(one));
  return out;
}

// How many there are. `allocations` is what the socket called it first, and a list everywhere else.
void put_count(json::object &to, size_t allocations) {
  to["allocation_count"] = allocations;
  to["allocations"] = allocations;
}

}  // namespace

json::object queues_json(const kernel_snapshot &from, const state_filter &which) {
  return in_partitions(from, which, "queues", [&](const partition_snapshot &of, auto add) {
    for (const queue_snapshot &one : of.queues)
      if (is_below(one.path, which.queue) && is_any_or(which.state, name(one.state)) && !add(state_json::write(one)))
        return;
  });
}

json::object canaries_json(const kernel_snapshot &from, const state_filter &which) {
  json::array partitions;
  for (const partition_snapshot &one : from.partitions) {
    if (is_partition(one.name, which.partition)) partitions.push_back(state_json::write(one, {{}, no_lists}));
  }
  return {{"now_ms", from.now_ms}, {"partitions", std::move(partitions)}};
}

json::object applications_json(const kernel_snapshot &from, const state_filter &which) {
  return in_partitions(from, which, "applications", [&](const partition_snapshot &of, auto add) {
    for (const application_snapshot &one : which.ended ? of.ended : of.applications) {
      if (!is_below(one.queue, which.queue) || !is_any_or(which.state, name(one.state)) ||
          !is_any_or(which.user, one.user) || !is_any_or(which.name, one.id))
        continue;
      json::object item = state_json::write(one, style_of(which));
      put_count(item, one.allocations.size());
      if (!which.name.empty()) {
        json::array running;
        for (const allocation_snapshot &each : one.allocations) running.push_back(allocation_of(each));
        item["running"] = std::move(running);
      }
      if (!add(std::move(item))) return;
    }
  });
}

json::object nodes_json(const kernel_snapshot &from, const state_filter &which) {
  return in_partitions(from, which, "nodes", [&](const partition_snapshot &of, auto add) {
    for (const node_snapshot &one : of.nodes) {
      const std::string_view state = one.schedulable ? "schedulable" : "draining";
      if (!is_any_or(which.state, state) || !is_any_or(which.name, one.id)) continue;
      json::object item = state_json::write(one, style_of(which));
      put_count(item, one.allocations.size());
      if (!which.name.empty()) item["running"] = running_on(of, one);
      if (!add(std::move(item))) return;
    }
  });
}

}  // namespace tenon::cli
