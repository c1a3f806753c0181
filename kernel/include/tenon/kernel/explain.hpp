// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Why an ask waits, with the numbers, and the smallest change that would let it run.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "tenon/kernel/queue_config.hpp"

namespace tenon {

// One thing that holds the ask.
enum class obstacle_kind : uint8_t {
  application_state,   // `name` is the state
  partition_stopped,   // `name`: nothing is scheduled in it
  queue_stopped,       // `queue`: nothing is scheduled in it and below
  queue_applications,  // maxapplications of `queue`
  limit_applications,  // maxapplications of the limit of `name` in `queue`
  limit_resources,     // resources of the limit of `name` in `queue`
  queue_resources,     // max of `queue`
  cluster_resources,   // root: the sum of the nodes
  kept_order,          // ask `name` (application/key) is before it in `queue`, and needs the `type` that it would take
  whole_gang,          // its gang begins whole: the `asked` placeholders that are pending do not all fit at once
  held_back,           // `policy` of `queue` leaves `name` out until `until_ms`, or until something changes
  nodes,               // no node can hold it
  rm_refuses,          // nodes fit, the resource manager wants none
  rm_paused,           // the resource manager is not connected
  placeholders,        // those of task group `name`: `asked` are pending, `used` are to be released first
  reserved,            // it has a reservation on node `name`, which has no room yet
  victims,             // `asked` allocations, in `name`, give way to it and are not gone yet
  preempts_later,      // at `until_ms` it tries to preempt others; now `asked` on node `name` would give way
  no_victims,          // nobody would give way to it, for `reason`
};
[[nodiscard]] std::string_view name(obstacle_kind);

struct obstacle {
  obstacle_kind kind = obstacle_kind::nodes;
  std::string queue;
  std::string name;    // the user or group of a limit, a state, a resource manager, a queue or application
  bool group = false;  // `name` is a group
  std::string type;    // resource type; empty where applications are counted
  int64_t asked = 0;
  int64_t limit = 0;
  int64_t used = 0;
  int64_t free = 0;      // limit - used, never below 0
  int64_t short_by = 0;  // asked - free
  std::string policy;    // of an order
  std::string reason;    // why nobody gives way, or why the resource manager refuses, with the number of nodes
  int64_t until_ms = 0;  // 0: not known
  std::string text;      // the same in words
};

// Why nodes do not do: of `nodes` in all, each counted at the first reason that holds.
struct node_reasons {
  uint64_t nodes = 0;
  uint64_t fit = 0;  // would hold it now
  uint64_t not_schedulable = 0;
  std::vector<std::pair<std::string, uint64_t>> types;       // too little free of a type, by type
  std::vector<std::pair<std::string, uint64_t>> devices;     // the sum is there, the devices are not, by type
  std::vector<std::pair<std::string, uint64_t>> predicates;  // refused by a predicate, by its reason
  std::vector<std::pair<std::string, uint64_t>> refused;     // by the resource manager, by its reason
};

enum class change_kind : uint8_t {
  raise_queue_applications,  // maxapplications of `queue` from `from` to `to`
  raise_limit_applications,  // likewise of the limit of `name`
  raise_limit_resources,     // amount of `type` of the limit of `name` in `queue`
  raise_queue_resources,     // max of `type` of `queue`
  raise_node_capacity,       // capacity of `type` of node `name`
  raise_node_devices,        // devices of `type` of node `name`, each free and as large as the others
  undrain_node,              // make node `name` schedulable
  add_node,                  // a node with `amounts` that the predicates accept
  resume_rm,                 // the resource manager must come back
  start_partition,           // Stopped, `name`, is started
  start_queue,               // Stopped `queue` is started
};
[[nodiscard]] std::string_view name(change_kind);

struct change {
  change_kind kind = change_kind::add_node;
  std::string queue;
  std::string name;
  bool group = false;
  std::string type;
  int64_t from = 0;
  int64_t to = 0;
  amount_map amounts;
  std::string text;
};

// What became of trying changes on a copy of the partition.
enum class change_outcome : uint8_t {
  none,          // nothing to try: nothing waits
  at_its_turn,   // it needs no change: what is decided next places it
  runs,          // `changes` let it run
  waits,         // something holds it then that no change of limits and nodes ends: `holds`
  others_first,  // others take what is added, however much was tried
  not_tried,     // the partition has more than explain_terms::most_objects
};

[[nodiscard]] std::string_view name(change_outcome);

// Asks, allocations, applications and nodes of a partition in which explain tries changes, where nobody says otherwise.
inline constexpr uint64_t most_tried = 50'000;

struct explain_terms {
  uint64_t most_objects = most_tried;        // in a partition of more nothing is tried
  const std::atomic<bool> *stops = nullptr;  // once true, nobody wants the explanation any more
};

struct explanation {
  std::string partition, application, key, queue;
  bool known = false;               // false: there is no such ask; `text` says so
  bool pending = false;             // false: nothing of the ask waits; `text` says what it is instead
  amount_map asked;                 // one allocation
  int32_t waiting = 0;              // allocations that are pending
  std::vector<obstacle> obstacles;  // empty: it is runnable and only others are before it
  node_reasons nodes;
  uint64_t before = 0;  // pending allocations that would be tried earlier
  change_outcome outcome = change_outcome::none;
  // All together let the ask run, where the outcome is `runs`: they were made in a copy of the partition, which then
  // placed it. The resource manager was taken to agree, and what it does not do by itself (give back allocations, add
  // nodes) not to happen. Otherwise what it lacks for itself.
  std::vector<change> changes;
  uint64_t after = 0;              // decisions for others that come before its own then
  std::vector<std::string> holds;  // what holds it with all changes made, a sentence each, where the outcome is `waits`
  std::string text;                // all of it in words, one sentence a line
};

}  // namespace tenon
