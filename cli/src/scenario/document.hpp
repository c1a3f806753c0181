// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A scenario file as values: what the reader checked and the player plays.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenario/expectation.hpp"
#include "scenario/value.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::cli {

// Partition names are plain ("default") everywhere.

struct ask_item {
  text_position at;
  std::string partition, application, key;
  amount_map resources;
  std::optional<uint32_t> count;  // so many asks with keys key~000, key~001, ...
  int32_t max_allocations = 1;
  int32_t priority = 0;
  int64_t timeout_ms = 0;  // of each allocation, from the moment it is placed; 0: none
  std::string task_group, required_node;
  text_map tags;
  bool placeholder = false, originator = false;
  bool allow_preempt_self = true, allow_preempt_other = false;
  std::string detail;  // of an allocation that exists already: its devices
};

struct node_item {
  text_position at;
  std::string partition, id;
  amount_map resources;
  text_map attributes;
  bool schedulable = true;
  std::vector<ask_item> existing;
  bool existing_from_rm = false;
};

struct node_update_item {
  text_position at;
  std::string partition, id;
  std::optional<amount_map> resources, occupied;
  std::optional<text_map> attributes;
};

// An allocation on a node that is there already: one more, another size of one that runs, or not the scheduler's.
struct allocation_item {
  ask_item what;
  std::string node;
  bool foreign = false;
};

// Nodes to drain or remove, applications to remove.
struct named_item {
  text_position at;
  std::string partition, id;
};

struct application_item {
  text_position at;
  std::string partition, id, queue;
  std::string user = "testuser";
  text_list groups = {"testgroup"};
  text_map tags;
  amount_map placeholder_ask;
  bool hard_gang = false;
  int64_t timeout_ms = 0;
};

struct release_item {
  text_position at;
  std::string partition, application;
  std::string key;  // empty: all of the application
  std::optional<uint32_t> count;
  termination why = termination::stopped_by_rm;
  bool unknown = false;  // sent although the RM has no such allocation
};

struct confirm_item {
  text_position at;
  std::vector<termination> types;  // empty: all
  std::optional<uint32_t> limit;
};

struct reload_item {
  text_position at;
  std::string config;
  std::optional<std::string> expect_error;
};

// What people do to a partition, queue or application.
struct action_item {
  enum class kind : uint8_t {
    stop_partition,
    start_partition,
    drain_partition,
    stop_queue,
    start_queue,
    move_application,
    kill_application
  };
  text_position at;
  kind what;
  std::string partition, object;
  std::string target;  // the queue that an application is moved to, or why it is killed
};

struct schedule_item {
  text_position at;
  std::optional<uint32_t> cycles;  // nothing: until quiescent
};

// Parts that a step has run in this order.
struct scenario_step {
  text_position at;
  bool restart = false;
  std::optional<std::map<std::string, text_list>> predicate_failures;  // node -> ask keys or "*"
  std::optional<reload_item> reload;
  std::vector<action_item> actions;
  std::optional<std::string> expect_error;  // of the actions
  std::vector<node_item> add_nodes;
  std::vector<node_update_item> update_nodes;
  std::vector<named_item> drain_nodes, undrain_nodes, remove_nodes;
  std::vector<application_item> add_apps;
  std::vector<named_item> remove_apps;
  std::vector<ask_item> add_asks;
  std::vector<allocation_item> put_allocs;
  std::vector<release_item> release_asks, release_allocs;
  std::optional<confirm_item> confirm;
  bool answer = false;  // the RM answers what is proposed to it
  text_position recovery_done_at;
  bool recovery_done = false;  // of an RM that is held
  std::optional<schedule_item> schedule;
  std::optional<int64_t> advance_ms;
  bool inspect = false;
  std::optional<expected_block> expect;
};

struct scenario {
  std::string file;  // as the user named it
  std::string name, title;
  std::string config;
  text_position config_at;
  std::string deployment;            // empty: the default one; relative to the file
  int64_t check_deadline_ms = 0;     // above 0: the RM checks placements, and has so long
  bool checks_reservations = false;  // and is asked before an ask waits for a node
  bool recovery_hold = false;        // the RM registers so that nothing is placed before its recovery is done
  std::vector<scenario_step> steps;
};

}  // namespace tenon::cli
