// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "objects.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "views.hpp"

namespace tenon::rest {

namespace json = boost::json;

json::object cluster_json(const tenon_view &all, const tenon_view_partition &p) {
  object_writer out;
  out.put("startTime", nanoseconds(all.started_ms));
  json::array builds;
  for (const auto &rm : listed<tenon_view_rm>(all.rms)) {
    if (view(rm.id) != view(p.rm)) continue;
    json::object build = json_of(rm.build);
    build["rmId"] = view(rm.id);
    if (view(rm.version).size() != 0) build["rmVersion"] = view(rm.version);
    builds.push_back(std::move(build));
  }
  out.put("rmBuildInformation", std::move(builds));
  out.put("partition", p.short_name);
  out.put("clusterName", "kubernetes");
  return out.take();
}

json::object partition_json(const tenon_view_partition &p) {
  object_writer capacity, order, out;
  capacity.put("capacity", p.capacity);
  capacity.put("usedCapacity", p.used);
  capacity.put("utilization", percent_of(p.capacity, p.used));
  order.put("type", p.node_sort);
  json::object weights;
  for (uint64_t i = 0; i < p.weight_count; ++i) weights[view(p.weight_names[i])] = p.weights[i];
  order.put("resourceWeights", std::move(weights));
  out.always("clusterId", view(p.rm));
  out.always("name", view(p.short_name));
  out.always("capacity", capacity.take());
  out.always("nodeSortingPolicy", order.take());
  out.always("preemptionEnabled", (p.preemption & 1) != 0);
  out.always("quotaPreemptionEnabled", (p.preemption & 2) != 0);
  out.put("totalNodes", p.node_count);
  json::object counts = json_of(p.applications);
  int64_t total = 0;
  for (uint32_t i = 0; i < p.applications.count; ++i) total += p.applications.values[i];
  counts["total"] = total;
  out.put("applications", std::move(counts));
  out.put("totalContainers", p.allocation_count);
  out.put("state", p.state);
  out.put("lastStateTransitionTime", nanoseconds(p.since_ms));
  return out.take();
}

json::object allocation_json(const tenon_view_allocation &a) {
  object_writer out;
  out.always("allocationKey", view(a.key));
  out.put("allocationTags", a.tags);
  out.put("requestTime", nanoseconds(a.requested_ms));
  out.put("allocationTime", nanoseconds(a.bound_ms));
  out.put("allocationDelay", nanoseconds(std::max<int64_t>(0, a.bound_ms - a.requested_ms)));
  out.put("resource", a.resources);
  out.put("priority", std::to_string(a.priority));
  out.put("nodeId", a.node);
  out.put("applicationId", a.application);
  out.put("placeholder", (a.flags & TENON_VIEW_PLACEHOLDER) != 0);
  out.put("placeholderUsed", (a.flags & TENON_VIEW_REPLACED) != 0);
  out.put("taskGroupName", a.task_group);
  out.put("preempted", (a.flags & TENON_VIEW_PREEMPTED) != 0);
  out.put("originator", (a.flags & TENON_VIEW_ORIGINATOR) != 0);
  return out.take();
}

json::object foreign_allocation_json(const tenon_view_allocation &a) {
  object_writer out;
  out.always("allocationKey", view(a.key));
  out.put("allocationTags", a.tags);
  out.put("allocationTime", nanoseconds(a.bound_ms));
  out.put("resource", a.resources);
  out.put("priority", std::to_string(a.priority));
  out.put("nodeId", a.node);
  out.put("preemptable", (a.flags & TENON_VIEW_PREEMPTIBLE) != 0);
  return out.take();
}

json::object ask_json(const tenon_view_ask &a) {
  object_writer out;
  out.always("allocationKey", view(a.key));
  out.put("allocationTags", a.tags);
  out.put("requestTime", nanoseconds(a.created_ms));
  out.put("resource", a.resources);
  out.put("priority", std::to_string(a.priority));
  out.put("requiredNodeId", a.required_node);
  out.put("applicationId", a.application);
  out.put("placeholder", (a.flags & TENON_VIEW_PLACEHOLDER) != 0);
  out.put("taskGroupName", a.task_group);
  json::array log;
  for (const auto &entry : listed<tenon_view_log_entry>(a.log)) {
    object_writer one;
    one.put("message", entry.words);
    one.put("lastOccurrence", nanoseconds(entry.last_ms));
    one.put("count", int64_t{entry.count});
    log.push_back(one.take());
  }
  out.put("allocationLog", std::move(log));
  out.put("triggeredPreemption", (a.flags & TENON_VIEW_PREEMPTS) != 0);
  out.put("originator", (a.flags & TENON_VIEW_ORIGINATOR) != 0);
  out.put("schedulingAttempted", (a.flags & TENON_VIEW_TRIED) != 0);
  out.put("triggeredScaleUp", (a.flags & TENON_VIEW_SCALES_UP) != 0);
  return out.take();
}

json::object application_json(const tenon_view_application &a, std::string_view partition) {
  object_writer out;
  out.always("applicationID", view(a.id));
  out.put("usedResource", a.allocated);
  out.put("maxUsedResource", a.most_allocated);
  out.put("pendingResource", a.pending);
  out.always("partition", partition);
  out.always("queueName", view(a.queue));
  out.put("submissionTime", nanoseconds(a.submitted_ms));
  if (a.finished_ms != 0) out.always("finishedTime", nanoseconds(a.finished_ms));
  json::array asks, allocations, log, groups;
  for (const auto &ask : listed<tenon_view_ask>(a.asks)) asks.push_back(ask_json(ask));
  out.put("requests", std::move(asks));
  for (const auto &one : listed<tenon_view_allocation>(a.allocations)) allocations.push_back(allocation_json(one));
  out.put("allocations", std::move(allocations));
  out.put("applicationState", a.state);
  out.put("user", a.user);
  out.put("groups", a.groups);
  out.put("rejectedMessage", a.words);
  for (const auto &change : listed<tenon_view_state_change>(a.state_log)) {
    object_writer one;
    one.put("time", nanoseconds(change.at_ms));
    one.put("applicationState", change.state);
    log.push_back(one.take());
  }
  out.put("stateLog", std::move(log));
  for (const auto &group : listed<tenon_view_task_group>(a.task_groups)) {
    object_writer one;
    one.put("taskGroupName", group.name);
    one.put("count", group.count);
    one.put("minResource", group.least);
    one.put("replaced", group.replaced);
    one.put("timedout", group.timed_out);
    groups.push_back(one.take());
  }
  out.put("placeholderData", std::move(groups));
  out.put("hasReserved", a.reservations.count != 0);
  out.put("reservations", a.reservations);
  out.put("maxRequestPriority", a.priority == INT32_MIN ? int64_t{0} : int64_t{a.priority});
  out.put("startTime", a.started_ms);
  return out.take();
}

json::object node_json(const tenon_view_node &n) {
  const auto attribute = [&](std::string_view name) {
    for (uint64_t i = 0; i < n.attributes.count; ++i)
      if (view(n.attributes.names[i]) == name) return view(n.attributes.values[i]);
    return std::string_view{};
  };
  object_writer out;
  out.always("nodeID", view(n.id));
  out.put("hostName", attribute("si.io/hostname"));
  out.put("rackName", attribute("si.io/rackname"));
  out.put("attributes", n.attributes);
  out.put("capacity", n.capacity);
  out.put("allocated", n.allocated);
  out.put("occupied", n.occupied);
  out.put("available", n.available);
  out.put("utilized", percent_of(n.capacity, n.allocated));
  json::array own, foreign;
  for (uint64_t i = 0; i < n.allocation_count; ++i) {
    const tenon_view_allocation &a = *n.allocations[i];
    if ((a.flags & TENON_VIEW_FOREIGN) != 0) {
      foreign.push_back(foreign_allocation_json(a));
    } else {
      own.push_back(allocation_json(a));
    }
  }
  out.put("allocations", std::move(own));
  out.put("foreignAllocations", std::move(foreign));
  out.always("schedulable", (n.flags & TENON_VIEW_SCHEDULABLE) != 0);
  out.always("isReserved", n.reservations.count != 0);
  json::array keys;  // of the asks, without their applications
  for (uint64_t i = 0; i < n.reservations.count; ++i) {
    const std::string_view whole = view(n.reservations.texts[i]);
    const size_t slash = whole.find('/');
    keys.emplace_back(slash == std::string_view::npos ? whole : whole.substr(slash + 1));
  }
  out.put("reservations", std::move(keys));
  return out.take();
}

json::object usage_tree_json(const std::vector<const tenon_view_usage *> &rows) {
  // Rows are in the order of paths: a queue comes before those below it, which need not have rows of their own.
  const auto make = [](const tenon_view_usage &u) {
    object_writer out;
    out.always("queuePath", view(u.queue));
    out.put("resourceUsage", u.usage);
    out.put("runningApplications", u.running);
    if (u.max.present != 0) out.put("maxResources", u.max);
    out.put("maxApplications", u.most_applications);
    return out.take();
  };
  json::object root{{"queuePath", "root"}};
  const auto below = [](std::string_view parent, std::string_view path) {
    return path.size() > parent.size() && path.starts_with(parent) && path[parent.size()] == '.';
  };
  const auto grow = [&](const auto &self, json::object &parent, size_t &at) -> void {
    const std::string path(parent["queuePath"].as_string());
    json::array children;
    while (at < rows.size() && below(path, view(rows[at]->queue))) {
      json::object child = make(*rows[at]);
      ++at;
      self(self, child, at);
      children.push_back(std::move(child));
    }
    if (!children.empty()) parent["children"] = std::move(children);
  };
  size_t at = 0;
  if (!rows.empty() && view(rows[0]->queue) == "root") root = make(*rows[at++]);
  grow(grow, root, at);
  return root;
}

json::object utilizations_json(const tenon_view_partition &p, std::string_view cluster) {
  struct bucket {
    int64_t nodes = 0;
    json::array names;
  };
  std::map<std::string, std::array<bucket, 10>, std::less<>> types;
  for (const auto &n : listed<tenon_view_node>(p.nodes)) {
    for (const auto &[type, percent] : percent_of(n.capacity, n.allocated)) {
      const int64_t share = percent.as_int64();
      const int64_t at = std::clamp<int64_t>((share + 9) / 10 - 1, 0, 9);
      bucket &b = types[std::string(type)][static_cast<size_t>(at)];
      ++b.nodes;
      b.names.emplace_back(view(n.id));
    }
  }
  json::array all;
  for (auto &[type, buckets] : types) {
    json::array steps;
    for (size_t i = 0; i < buckets.size(); ++i) {
      object_writer one;
      one.put("bucketName", std::to_string(i * 10) + "-" + std::to_string((i + 1) * 10) + "%");
      one.put("numOfNodes", buckets[i].nodes);
      one.put("nodeNames", std::move(buckets[i].names));
      steps.push_back(one.take());
    }
    all.push_back(json::object{{"type", type}, {"utilization", std::move(steps)}});
  }
  object_writer out;
  out.put("clusterId", cluster);
  out.put("partition", p.short_name);
  out.put("utilizations", std::move(all));
  return out.take();
}

}  // namespace tenon::rest
