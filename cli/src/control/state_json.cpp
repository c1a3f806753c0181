// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "control/state_json.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "tenon/kernel/partition_name.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

json::object amounts_of(const amount_map &from) {
  json::object out;
  for (const auto &[type, amount] : from) out[type] = amount;
  return out;
}

json::array texts_of(const std::vector<std::string> &from) { return json::array(from.begin(), from.end()); }

json::object texts_of(const std::map<std::string, std::string> &from) {
  json::object out;
  for (const auto &[key, text] : from) out[key] = text;
  return out;
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
    partitions.push_back(json::object{{"name", one.name},
                                      {"state", name(one.state)},
                                      {"capacity", amounts_of(one.capacity)},
                                      {"used", amounts_of(one.used)},
                                      {"allocations", one.allocations},
                                      {key, std::move(items)}});
  }
  return {{"now_ms", from.now_ms}, {"partitions", std::move(partitions)}, {"more", more}};
}

json::object object_of(const queue_snapshot &q) {
  return {{"path", q.path},
          {"state", name(q.state)},
          {"leaf", q.leaf},
          {"managed", q.managed},
          {"allocated", amounts_of(q.allocated)},
          {"pending", amounts_of(q.pending)},
          {"preempting", amounts_of(q.preempting)},
          {"guaranteed", amounts_of(q.guaranteed)},
          {"max", q.max ? json::value(amounts_of(*q.max)) : json::value(nullptr)},
          {"properties", texts_of(q.properties)},
          {"running_apps", q.running_apps},
          {"max_running_apps", q.max_running_apps},
          {"current_priority", q.current_priority}};
}

json::object object_of(const allocation_snapshot &a) {
  return {{"key", a.key},
          {"application", a.application},
          {"node", a.node},
          {"resources", amounts_of(a.resources)},
          {"devices", a.detail},
          {"priority", a.priority},
          {"placeholder", a.placeholder},
          {"foreign", a.foreign},
          {"state", name(a.state)},
          {"bound_ms", a.bind_time_ms}};
}

json::array running_on(const partition_snapshot &p, const node_snapshot &n) {
  json::array out;
  for (const application_snapshot &app : p.applications)
    for (const allocation_snapshot &one : app.allocations)
      if (one.node == n.id) out.push_back(object_of(one));
  for (const allocation_snapshot &one : n.foreign) out.push_back(object_of(one));
  return out;
}

json::object object_of(const application_snapshot &a) {
  json::array asks;
  for (const ask_snapshot &ask : a.asks)
    asks.push_back(json::object{{"key", ask.key},
                                {"resources", amounts_of(ask.resources)},
                                {"pending", ask.pending_count},
                                {"priority", ask.priority},
                                {"placeholder", ask.placeholder},
                                {"waits_for", ask.blocker}});
  return {{"id", a.id},
          {"queue", a.queue},
          {"user", a.user},
          {"groups", texts_of(a.groups)},
          {"state", name(a.state)},
          {"allocated", amounts_of(a.allocated)},
          {"placeholders", amounts_of(a.placeholders)},
          {"pending", amounts_of(a.pending)},
          {"allocations", a.allocations.size()},
          {"asks", std::move(asks)},
          {"reservations", texts_of(a.reservations)},
          {"message", a.message},
          {"submitted_ms", a.submitted_ms},
          {"started_ms", a.started_ms},
          {"finished_ms", a.finished_ms}};
}

json::object object_of(const node_snapshot &n) {
  json::object devices;
  for (const auto &[type, free] : n.devices) devices[type] = json::array(free.begin(), free.end());
  return {{"id", n.id},
          {"schedulable", n.schedulable},
          {"capacity", amounts_of(n.capacity)},
          {"allocated", amounts_of(n.allocated)},
          {"occupied", amounts_of(n.occupied)},
          {"available", amounts_of(n.available)},
          {"devices", std::move(devices)},
          {"attributes", texts_of(n.attributes)},
          {"allocations", n.allocations.size()},
          {"reservations", texts_of(n.reservations)}};
}

}  // namespace

json::object queues_json(const kernel_snapshot &from, const state_filter &which) {
  return in_partitions(from, which, "queues", [&](const partition_snapshot &of, auto add) {
    for (const queue_snapshot &one : of.queues)
      if (is_below(one.path, which.queue) && is_any_or(which.state, name(one.state)) && !add(object_of(one))) return;
  });
}

json::object applications_json(const kernel_snapshot &from, const state_filter &which) {
  return in_partitions(from, which, "applications", [&](const partition_snapshot &of, auto add) {
    for (const application_snapshot &one : which.ended ? of.ended : of.applications) {
      if (!is_below(one.queue, which.queue) || !is_any_or(which.state, name(one.state)) ||
          !is_any_or(which.user, one.user) || !is_any_or(which.name, one.id))
        continue;
      json::object item = object_of(one);
      if (!which.name.empty()) {
        json::array running;
        for (const allocation_snapshot &each : one.allocations) running.push_back(object_of(each));
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
      json::object item = object_of(one);
      if (!which.name.empty()) item["running"] = running_on(of, one);
      if (!add(std::move(item))) return;
    }
  });
}

}  // namespace tenon::cli
