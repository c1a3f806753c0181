// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "json_objects.hpp"

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

json::object node_json(const tenon_view_node &n, std::string_view partition) {
  // Attributes that RMs name in the one or the other way.
  const auto attribute = [&](std::string_view name, std::string_view other) {
    std::string_view out;
    for (uint64_t i = 0; i < n.attributes.count; ++i) {
      const std::string_view is = view(n.attributes.names[i]);
      if (is == name || (is == other && out.empty())) out = view(n.attributes.values[i]);
    }
    return out;
  };
  object_writer out;
  out.always("nodeID", view(n.id));
  out.put("hostName", attribute("si/hostname", "si.io/hostname"));
  out.put("rackName", attribute("si/rackname", "si.io/rackname"));
  json::object attributes = json_of(n.attributes);
  attributes["si/node-partition"] = partition;
  out.put("attributes", std::move(attributes));
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
    const json::object used = percent_of(n.capacity, n.allocated);
    for (uint32_t i = 0; i < n.capacity.count; ++i) {  // types of which nothing is used, too
      const std::string type(view(n.capacity.types[i]));
      const auto *percent = used.if_contains(type);
      const int64_t share = percent == nullptr ? 0 : percent->as_int64();
      const int64_t at = std::clamp<int64_t>(share / 10 + (share % 10 > 0 ? 1 : 0) - 1, 0, 9);
      bucket &b = types[type][static_cast<size_t>(at)];
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
