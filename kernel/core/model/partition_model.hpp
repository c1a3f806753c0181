// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Partition model: what a partition is called and configured with, and its queues, applications, asks, allocations and
// nodes.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/slab.hpp"
#include "model/administrators_stops.hpp"
#include "model/application_table.hpp"
#include "model/ask_class.hpp"
#include "model/ask_shapes.hpp"
#include "model/device_records.hpp"
#include "model/node_table.hpp"
#include "model/objects.hpp"
#include "model/owned_state.hpp"
#include "tenon/kernel/partition_name.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::internal {

class partition;

// What it is called and configured with, and whether it works.
struct partition_identity {
  partition_identity(std::string rm_id, std::string external_name, int64_t now_ms)
      : rm(std::move(rm_id)),
        name(full_partition_name(rm, external_name)),
        plain_name(std::move(external_name)),
        since_ms(now_ms) {}

  std::string rm, name, plain_name;  // name is [rm]plain_name
  owned_state<object_state, partition> state;
  bool paused = false;   // its RM is not there
  int64_t since_ms = 0;  // in its state
  partition_config config;
  administrators_stops stops;
};

struct partition_model : partition_identity, application_table {
  partition_model(std::string rm_id, std::string external_name, int64_t now_ms, uint32_t max_types)
      : partition_identity(std::move(rm_id), std::move(external_name), now_ms), types(max_types) {}

  resource_types types;
  node_table nodes;
  std::unique_ptr<queue> root;
  class_table classes;
  ask_shapes shapes;
  text_store texts;  // keys of asks
  slab<ask> asks;
  slab<allocation> allocations;
  device_records held_devices_of;  // allocations that hold some
  slab<app_class> groups;
  ask_waits waits;
  text_map<allocation *> foreign;                             // by key
  std::map<std::string, tag_list, std::less<>> foreign_tags;  // of those that have any
  resources total;                                            // sum of the nodes' capacities: the root's max
};

// By the names of the types, in order; 0 as well.
[[nodiscard]] amount_map configured_values(const resources &r, const resource_types &types);
[[nodiscard]] std::vector<ask *> pending_by_arrival(const application &app);
[[nodiscard]] std::vector<allocation *> by_sequence(std::vector<allocation *> list);
// A copy: allocations leave the list while they are ended one by one.
[[nodiscard]] std::vector<allocation *> all_of(const sequence_list<allocation> &list);

}  // namespace tenon::internal
