// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "load/load.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace tenon::cli {
namespace {

template <class Items, class Id>
bool are_unique(const Items &items, Id id) {
  std::unordered_set<std::string_view> seen;
  return std::all_of(items.begin(), items.end(), [&](const auto &item) { return seen.insert(item.*id).second; });
}

bool are_gangs_whole(const load &of) {
  std::unordered_set<uint32_t> seen;
  for (size_t i = 0; i < of.asks.size(); ++i) {
    const load_ask &ask = of.asks[i];
    if (!of.applications[ask.application].gang) continue;
    if (i == 0 || of.asks[i - 1].application != ask.application) {
      if (!seen.insert(ask.application).second) return false;
      continue;
    }
    const load_ask &before = of.asks[i - 1];
    if (before.shape != ask.shape || before.arrival_ms != ask.arrival_ms || before.duration_ms != ask.duration_ms) {
      return false;
    }
  }
  return true;
}

void add_queue(queue_config &parent, std::string_view path) {
  const size_t dot = path.find('.');
  const std::string_view name = path.substr(0, dot);
  auto child =
      std::find_if(parent.queues.begin(), parent.queues.end(), [&](const queue_config &q) { return q.name == name; });
  if (child == parent.queues.end()) {
    child = parent.queues.insert(parent.queues.end(), queue_config{});
    child->name = name;
  }
  if (dot == std::string_view::npos) return;
  child->parent = true;
  add_queue(*child, path.substr(dot + 1));
}

}  // namespace

uint32_t shape_table::index_of(const load_shape &shape) {
  const auto [at, fresh] =
      known_.try_emplace({shape.resources, shape.tags}, static_cast<uint32_t>(into_.shapes.size()));
  if (fresh) into_.shapes.push_back(shape);
  return at->second;
}

cluster_config default_config(const load &of) {
  constexpr std::string_view root = "root.";
  partition_config partition;
  partition.root.name = "root";
  partition.root.parent = true;
  partition.root.submit_acl = "*";
  for (const load_application &application : of.applications) {
    const std::string_view path = application.queue;
    if (path.starts_with(root)) add_queue(partition.root, path.substr(root.size()));
  }
  cluster_config config;
  config.partitions.push_back(std::move(partition));
  return config;
}

bool is_consistent(const load &of) {
  const auto in_range = [&](const load_ask &ask) {
    return ask.application < of.applications.size() && ask.shape < of.shapes.size() && ask.arrival_ms >= 0 &&
           ask.duration_ms >= 0;
  };
  return std::all_of(of.asks.begin(), of.asks.end(), in_range) && are_unique(of.nodes, &load_node::id) &&
         are_unique(of.applications, &load_application::id) && are_unique(of.asks, &load_ask::key) &&
         are_gangs_whole(of);
}

}  // namespace tenon::cli
