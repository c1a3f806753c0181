// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Partition model: what a partition is called and configured with, and its queues, applications, asks, allocations and
// nodes.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/slab.hpp"
#include "model/ask_class.hpp"
#include "model/device_records.hpp"
#include "model/node_table.hpp"
#include "model/objects.hpp"
#include "model/owned_state.hpp"
#include "tenon/kernel/partition_name.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::internal {

class partition;

struct partition_model {
  partition_model(std::string rm_id, std::string external_name, int64_t now_ms, uint32_t max_types)
      : rm(std::move(rm_id)),
        name(full_partition_name(rm, external_name)),
        plain_name(std::move(external_name)),
        since_ms(now_ms),
        types(max_types) {}

  std::string rm, name, plain_name;  // name is [rm]plain_name
  owned_state<object_state, partition> state;
  bool paused = false;   // its RM is not there
  int64_t since_ms = 0;  // in its state
  partition_config config;

  resource_types types;
  node_table nodes;
  std::unique_ptr<queue> root;
  class_table classes;
  slab<application> applications;
  slab<ask> asks;
  slab<allocation> allocations;
  device_records held_devices_of;  // allocations that hold some
  slab<app_class> groups;
  ask_waits waits;
  text_map<application *> active;                             // by id
  std::vector<application *> ended;                           // rejected, completed, failed
  text_map<allocation *> foreign;                             // by key
  std::map<std::string, tag_list, std::less<>> foreign_tags;  // of those that have any
  resources total;                                            // sum of the nodes' capacities: the root's max

  [[nodiscard]] application *find_application(std::string_view id) const {
    const auto found = active.find(id);
    return found == active.end() ? nullptr : found->second;
  }
  [[nodiscard]] std::vector<application *> by_submission() const;
  // By the names of the types, in order; 0 as well.
  [[nodiscard]] amount_map configured_values(const resources &r) const;
};

[[nodiscard]] std::vector<ask *> pending_by_arrival(const application &app);
[[nodiscard]] std::vector<allocation *> by_sequence(std::vector<allocation *> list);

}  // namespace tenon::internal
