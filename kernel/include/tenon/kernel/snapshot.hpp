// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The whole state of a kernel as plain values: for reading, dumps and comparison, never for deciding.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/kernel/queue_config.hpp"
#include "tenon/kernel/states.hpp"

namespace tenon {

// What of the state is wanted: each part costs what it has.
enum class snapshot_part : uint32_t {
  queues = 1U << 0,
  nodes = 1U << 1,
  applications = 1U << 2,  // active ones, without what the next two say
  asks = 1U << 3,          // of applications that are shown
  allocations = 1U << 4,   // of applications that are shown; foreign ones of nodes
  users = 1U << 5,
  groups = 1U << 6,
  ended = 1U << 7,     // applications
  contents = 1U << 8,  // of nodes that are shown: the names of their allocations
  all = (1U << 9) - 1,
  tags = 1U << 9  // of applications, asks and allocations; not with all
};
[[nodiscard]] constexpr snapshot_part operator|(snapshot_part a, snapshot_part b) {
  return static_cast<snapshot_part>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}
[[nodiscard]] constexpr bool has(snapshot_part all, snapshot_part one) {
  return (static_cast<uint32_t>(all) & static_cast<uint32_t>(one)) != 0;
}

struct queue_snapshot {
  std::string path;  // "root.a.b"
  object_state state = object_state::active;
  bool leaf = false;
  bool managed = true;  // false: created by placement
  amount_map allocated, pending, preempting;
  amount_map guaranteed;
  std::optional<amount_map> max;                  // configured; of the root: the sum of the nodes
  std::map<std::string, std::string> properties;  // after inheritance
  uint64_t running_apps = 0, max_running_apps = 0;
  int32_t current_priority = 0;
  std::optional<amount_map> headroom;  // below the max of it and its parents
  child_template_config child_template;
  std::vector<std::string> accepted;  // applications that wait for their first allocation
  friend bool operator==(const queue_snapshot &, const queue_snapshot &) = default;
};

using tag_snapshot = std::vector<std::pair<std::string, std::string>>;

struct allocation_snapshot {
  std::string key, application, node;
  uint64_t sequence = 0;
  amount_map resources;
  int32_t priority = 0;
  bool placeholder = false, preempted = false, released = false, originator = false;
  bool replaced = false;               // it took the place of a placeholder
  int64_t placeholder_created_ms = 0;  // of that
  std::string task_group;
  allocation_state state = allocation_state::allocated;
  int64_t create_time_ms = 0, bind_time_ms = 0;
  std::string replaced_by, replaced_on;  // of a placeholder: key and node of the replacement under way or proposed
  uint64_t proposed_as = 0;              // the number of that, while it is proposed
  std::string detail;                    // the devices that it holds
  bool foreign = false, preemptible = true;
  tag_snapshot tags;
  friend bool operator==(const allocation_snapshot &, const allocation_snapshot &) = default;
};

// An order that lets an ask's application, or one of the queues that it is in, have nothing now.
struct left_out_by {
  std::string queue, order;  // whose order it is, and its name
  bool of_queues = false;    // an order of the queue's children; else of its applications
  bool for_good = false;     // until something changes; else until a time
  friend bool operator==(const left_out_by &, const left_out_by &) = default;
};

struct ask_snapshot {
  std::string key;
  amount_map resources;  // of one allocation
  int32_t priority = 0;
  int32_t pending_count = 0, max_allocations = 1;
  bool placeholder = false;
  std::string task_group, required_node;
  int64_t create_time_ms = 0;
  ask_state state = ask_state::pending;
  std::string blocker;  // what it waits for, "" when runnable
  std::optional<left_out_by> left_out;
  bool originator = false;
  bool preempts = false;   // others give way to it
  bool scales_up = false;  // the resource manager was told that no node can hold it
  tag_snapshot tags;
  friend bool operator==(const ask_snapshot &, const ask_snapshot &) = default;
};

struct placeholder_snapshot {
  std::string task_group;
  int64_t count = 0, replaced = 0, timed_out = 0;
  amount_map size;  // of its first placeholder
  friend bool operator==(const placeholder_snapshot &, const placeholder_snapshot &) = default;
};

// Why the allocations ended whose use is counted.
enum class past_use_kind : uint8_t {
  used,  // otherwise than by the next two
  preempted,
  placeholder  // whatever ended it, but for preemption
};
struct past_use_snapshot {
  past_use_kind what = past_use_kind::used;
  std::string instance_type;  // of the node, "UNKNOWN" where that says nothing
  amount_map amount_seconds;  // of each allocation its amount times its whole seconds
  friend bool operator==(const past_use_snapshot &, const past_use_snapshot &) = default;
};

// Of an application: its first state and its last ones. One that runs empty and goes on changes its state for ever.
inline constexpr size_t most_states_kept = 64;

struct application_snapshot {
  std::string id, queue, user;
  std::vector<std::string> groups;
  application_state state = application_state::new_;
  std::vector<std::pair<int64_t, application_state>> state_log;
  amount_map allocated, placeholders, pending;
  amount_map most_allocated;                // of each type, ever: in `allocated` or in `placeholders`
  std::vector<past_use_snapshot> past_use;  // of allocations that ended; by kind, then instance type
  std::vector<ask_snapshot> asks;           // pending ones, in the order in which they would be tried
  std::vector<allocation_snapshot> allocations;
  std::vector<std::string> reservations;               // node ids, in the order in which they were made
  std::vector<std::string> reserved_for;               // likewise: keys of the asks
  std::vector<placeholder_snapshot> placeholder_data;  // by task group
  std::string message;                                 // why it is in its state
  int64_t submitted_ms = 0, started_ms = 0, finished_ms = 0;
  int64_t not_before_ms = 0;     // its queue's order leaves it out until then; 0: it does not, or nobody knows when
  int32_t priority = INT32_MIN;  // highest of its pending asks
  amount_map placeholder_ask;
  tag_snapshot tags;
  friend bool operator==(const application_snapshot &, const application_snapshot &) = default;
};

struct node_snapshot {
  std::string id;
  bool schedulable = true;
  amount_map capacity, allocated, occupied, available;
  std::map<std::string, std::vector<int64_t>> devices;  // by type: what each device has free
  std::map<std::string, std::string> attributes;
  std::vector<std::string> allocations;      // "application/key#sequence"; #0: a replacement under way
  std::vector<std::string> reservations;     // "application/key"
  std::vector<allocation_snapshot> foreign;  // by key
  friend bool operator==(const node_snapshot &, const node_snapshot &) = default;
};

struct usage_snapshot {  // of one user or group in one queue
  std::string name, queue;
  amount_map usage;
  std::vector<std::string> running;  // application ids
  std::optional<amount_map> max;
  uint64_t max_applications = 0;  // 0: unlimited
  friend bool operator==(const usage_snapshot &, const usage_snapshot &) = default;
};

// Those who have what a canary brings, or those who do not.
struct canary_side {
  uint64_t applications = 0;  // now
  uint64_t placed = 0;        // of theirs, since the canary came
  int64_t waited_ms = 0;      // these together
  friend bool operator==(const canary_side &, const canary_side &) = default;
};

// What some applications of a partition have.
struct canary_snapshot {
  std::string kind;    // of module: "node-sort" or "predicate"
  std::string policy;  // as configured
  std::vector<std::string> queues;
  uint32_t share = 0;  // thousandths
  std::string salt;
  bool active = true;    // false: it went back
  std::string why;       // it did
  int64_t since_ms = 0;  // it is so
  canary_limits back;
  uint32_t faults = 0;  // since it came
  canary_side canary, others;
  friend bool operator==(const canary_snapshot &, const canary_snapshot &) = default;
};

struct partition_snapshot {
  std::string name;  // [rm]name
  std::string rm, plain_name;
  object_state state = object_state::active;
  std::string node_sort_policy;
  amount_map capacity, used, pending;
  uint64_t allocations = 0;
  uint64_t node_count = 0;
  int64_t since_ms = 0;  // in its state
  bool preemption = true, quota_preemption = false;
  std::map<std::string, double> weights;  // of the order of nodes
  std::optional<canary_snapshot> canary;
  std::map<application_state, uint64_t> application_states;  // how many are in each
  std::vector<queue_snapshot> queues;                        // depth first, children in creation order, root first
  std::vector<node_snapshot> nodes;                          // by id
  std::vector<application_snapshot> applications;            // active ones, by submission
  std::vector<application_snapshot> ended;                   // rejected, completed, failed: until they expire
  std::vector<usage_snapshot> users, groups;
  friend bool operator==(const partition_snapshot &, const partition_snapshot &) = default;
};

struct kernel_snapshot {
  int64_t now_ms = 0;
  std::vector<partition_snapshot> partitions;  // in creation order
  friend bool operator==(const kernel_snapshot &, const kernel_snapshot &) = default;
};

}  // namespace tenon
