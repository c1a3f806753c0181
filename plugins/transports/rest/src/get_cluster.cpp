// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Clusters, partitions, queues, nodes and how nodes are used.
#include "handlers.hpp"
#include "json_objects.hpp"
#include "paging.hpp"
#include "path_names.hpp"
#include "views.hpp"

namespace tenon::rest {

namespace json = boost::json;

answer get_clusters(const context &c) {
  const snapshot all(c.use, 0);
  json::array out;
  for (const auto &p : listed<tenon_view_partition>(all->partitions)) out.push_back(cluster_json(*all, p));
  return json_answer(out);
}

answer get_partitions(const context &c) {
  const snapshot all(c.use, 0);
  json::array out;
  for (const auto &p : listed<tenon_view_partition>(all->partitions)) out.push_back(partition_json(p));
  return json_answer(out);
}

uint64_t find_queue(const tenon_view_partition &p, std::string_view path) {
  const listed<tenon_view_queue> queues(p.queues);
  nearest_name near(path);
  for (uint64_t i = 0; i < queues.size(); ++i) {
    if (same_without_case(view(queues[i].path), path)) return i;
    near.look_at(view(queues[i].path));
  }
  throw near.not_found("Queue");
}

answer get_queues(const context &c) {
  const partition_view p(c.use, c.asked.parameter("partition"), TENON_READ_QUEUES);
  return json_answer(queue_json(*p, 0, true, true));
}

answer get_queue(const context &c) {
  const std::string &name = c.asked.parameter("queue");
  check_queue_name(name);
  const partition_view p(c.use, c.asked.parameter("partition"), TENON_READ_QUEUES);
  return json_answer(queue_json(*p, find_queue(*p, name), c.asked.asked("subtree").has_value(), false));
}

answer get_nodes(const context &c) {
  page out(c.asked, "Node");
  const bool allocations = out.shows("allocations") || out.shows("foreignAllocations");
  const partition_view p(c.use, c.asked.parameter("partition"),
                         TENON_READ_NODES | (allocations ? TENON_READ_ALLOCATIONS : 0));
  for (const auto &n : listed<tenon_view_node>(p->nodes)) {
    if (out.wants(view(n.id))) out.add(node_json(n, view(p->name)));
    if (out.full()) break;
  }
  return out.take();
}

answer get_node(const context &c) {
  const partition_view p(c.use, c.asked.parameter("partition"), TENON_READ_NODES | TENON_READ_ALLOCATIONS);
  nearest_name near(c.asked.parameter("node"));
  for (const auto &n : listed<tenon_view_node>(p->nodes)) {
    if (view(n.id) == c.asked.parameter("node")) return json_answer(node_json(n, view(p->name)));
    near.look_at(view(n.id));
  }
  throw near.not_found("Node");
}

answer get_node_utilizations(const context &c) {
  const snapshot all(c.use, TENON_READ_NODES);
  json::array out;
  for (const auto &p : listed<tenon_view_partition>(all->partitions)) {
    out.push_back(utilizations_json(p, view(p.rm)));
  }
  return json_answer(out);
}

}  // namespace tenon::rest
