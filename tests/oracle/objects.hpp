// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The objects of a partition, as values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "acl.hpp"
#include "devices.hpp"
#include "tenon/kernel/queue_config.hpp"
#include "tenon/kernel/snapshot.hpp"
#include "tenon/kernel/states.hpp"

namespace tenon::naive {

using tag_map = std::map<std::string, std::string>;

// Starts of an ask that failed on a node.
struct failed_starts {
  int64_t count = 0, until_ms = 0;  // it waits for the node until then
};

struct ask {
  std::string key;
  amount_map resources;
  int32_t priority = 0, max_allocations = 1;
  int32_t placed = 0;
  uint64_t arrival = 0;
  std::pair<uint64_t, bool> judged_with;  // arrival of the first ask that predicates cannot tell from it; whether they
                                          // failed to sign it, and there is no other
  std::optional<std::pair<uint64_t, bool>> judged_by_canary;  // the same for its predicate; nothing: it is not asked
  int64_t create_time_ms = 0, execution_timeout_ms = 0;
  tag_map tags;
  std::string task_group, required_node, priority_class;
  bool placeholder = false, originator = false, allow_preempt_self = true, allow_preempt_other = false;
  bool withdrawn = false;                          // while something of it was pending
  int64_t reserve_from_ms = INT64_MIN;             // a reservation waited too long
  int64_t preempt_from_ms = INT64_MIN;             // an attempt came to nothing
  bool held_off = false;                           // but would not have without reservations of others
  std::string told;                                // what inspect said of it last
  std::map<std::string, failed_starts> failed_on;  // by node

  [[nodiscard]] int32_t pending() const { return withdrawn ? 0 : std::max(0, max_allocations - placed); }
};

// Asks of an application are tried by priority, age, arrival.
[[nodiscard]] inline bool tried_before(const ask &a, const ask &b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  if (a.create_time_ms != b.create_time_ms) return a.create_time_ms < b.create_time_ms;
  return a.arrival < b.arrival;
}

// A real allocation to be, in the place of a placeholder that is going.
struct replacement {
  ask real;  // as it was when it was chosen
  std::string node;
  detail_map detail;
  uint64_t number = 0;  // while it is proposed
};

struct reservation {
  uint64_t id = 0;
  uint64_t application = 0;  // uid
  uint64_t ask = 0;          // arrival
  std::string node;
  bool freed = false;    // by preemption, for this ask
  bool empties = false;  // made although the cluster had too little left
  bool of_gang = false;  // one of those for a gang that begins whole
  // In this decision the ask takes its turn among all others: it is to, and it may use the node until its turn is over.
  bool goes_by_order = false, by_order = false;
};

struct allocation {
  uint64_t sequence = 0;
  std::string key, node, task_group, required_node;
  amount_map resources;
  detail_map detail;
  int32_t priority = 0;
  bool placeholder = false, originator = false, allow_preempt_self = true;
  uint64_t victim_of = 0;  // arrival of the ask that it is to make room for
  allocation_state state = allocation_state::allocated;
  int64_t create_time_ms = 0, bind_time_ms = 0, execution_timeout_ms = 0;
  std::optional<replacement> under_way;  // of a placeholder
  std::optional<reservation> reserved;   // that ended with it while it is proposed, on its node

  [[nodiscard]] bool is_proposed() const { return state == allocation_state::proposed; }
  // A replacement of it is proposed.
  [[nodiscard]] bool is_offered() const { return under_way && under_way->number != 0; }
};

// Kept for an ask of which something is pending.
struct placeholder_tally {
  int64_t replaced = 0, timed_out = 0;
};

struct application {
  uint64_t uid = 0;         // over the whole kernel; ids come again
  uint64_t submission = 0;  // order in the partition
  std::string id, queue, user, message;
  std::vector<std::string> groups;
  tag_map tags;
  application_state state = application_state::new_;
  std::vector<std::pair<int64_t, application_state>> state_log;
  int64_t created_ms = 0;  // as its resource manager says
  int64_t submitted_ms = 0, started_ms = 0, finished_ms = 0, execution_timeout_ms = 0;
  amount_map placeholder_ask;
  amount_map most_allocated;                                                   // for display
  std::map<std::pair<past_use_kind, std::string>, amount_map> amount_seconds;  // by instance type; for display
  bool hard_gang = false;
  bool independent = false;                                   // made for an ask without application
  bool had_placeholder = false;                               // it was Accepted with one, and kept its place since
  bool left_over = false;                                     // the timer of left-over placeholders runs
  bool counts = false;                                        // it had an allocation, and has or asks for some since
  std::optional<int64_t> first_bind_ms;                       // of a placeholder since it was Accepted
  std::map<std::string, placeholder_tally> placeholder_data;  // those that ended, by task group
  std::vector<ask> asks;                                      // by arrival; those with nothing pending have allocations
  std::vector<allocation> allocations;                        // by sequence

  [[nodiscard]] bool has_proposals() const {
    return std::any_of(allocations.begin(), allocations.end(),
                       [](const allocation &x) { return x.is_proposed() || x.is_offered(); });
  }
  [[nodiscard]] bool has_pending() const {
    return std::any_of(asks.begin(), asks.end(), [](const ask &k) { return k.pending() > 0; });
  }
  [[nodiscard]] bool has_real() const {
    return std::any_of(allocations.begin(), allocations.end(),
                       [](const allocation &x) { return !x.placeholder && !x.is_proposed(); });
  }
  // For maxapplications of its queues.
  [[nodiscard]] bool counts_in_queues() const {
    if (state == application_state::starting || state == application_state::running) return true;
    if (state == application_state::accepted) return had_placeholder || has_proposals();
    return state == application_state::resuming && had_placeholder;
  }
  // For maxapplications of its user and group.
  [[nodiscard]] bool runs_for_user() const { return counts || !allocations.empty(); }
};

struct queue {
  std::string path;
  uint64_t creation = 0;
  bool leaf = false, managed = true;
  object_state state = object_state::active;
  amount_map guaranteed, max;  // empty: not set
  uint64_t max_applications = 0;
  std::map<std::string, std::string> properties;  // after inheritance
  acl submit, admin;
  child_template_config child_template;  // its own
  std::vector<limit_config> limits;
  std::optional<int64_t> quota_armed_ms;  // its quota timer runs
  int64_t quota_delay_ms = 0;             // with this delay

  [[nodiscard]] std::string name() const { return path.substr(path.rfind('.') + 1); }
  [[nodiscard]] std::string parent() const {
    const size_t dot = path.rfind('.');
    return dot == std::string::npos ? std::string() : path.substr(0, dot);
  }
};

struct node {
  std::string id;
  bool schedulable = true;
  amount_map capacity, occupied;
  std::map<std::string, std::string> attributes;
};

struct foreign_allocation {
  std::string node;
  amount_map resources;
  detail_map detail;
};

}  // namespace tenon::naive
