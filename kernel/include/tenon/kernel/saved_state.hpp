// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Saved state: all of a kernel that decides what it does next, as plain values. A journal may begin with one
// (docs/journal.md). Objects name each other by their place in the lists of their partition.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/queue_config.hpp"
#include "tenon/kernel/states.hpp"

namespace tenon {

// A place in a list; above all places: none.
inline constexpr uint32_t not_saved = ~uint32_t{0};

struct saved_amount {
  uint32_t type = 0;  // place in saved_partition::types
  int64_t amount = 0;
  friend bool operator==(const saved_amount &, const saved_amount &) = default;
};
using saved_amounts = std::vector<saved_amount>;

struct saved_pair {
  std::string key, value;
};
using saved_pairs = std::vector<saved_pair>;

// Devices of one type.
struct saved_devices {
  uint32_t type = 0;
  int64_t amount = 0;  // of each
  uint64_t devices = 0;
};

// What an order of queues or applications reads of past use.
struct saved_decay {
  struct series {
    double value = 0, used = 0;
  };
  uint32_t half_life = 0;
  int64_t changed_ms = 0;
  saved_amounts has;
  std::vector<series> by_type;
};

struct saved_policy {
  std::string name;
  bool is_bound = true;  // false: an application chose it, and it was not to be had
  bool faulty = false;   // it failed: the built-in one stands in
};

struct saved_acl {
  bool all = false;
  std::vector<std::string> users, groups, ignored;
};

struct saved_queue {
  std::string name;
  uint32_t parent = not_saved;  // before it in the list; of the root none
  bool leaf = false, managed = true;
  uint64_t sequence = 0;
  object_state state = object_state::active;
  saved_amounts guaranteed, max;
  uint64_t max_applications = 0;
  saved_acl submit_acl, admin_acl;
  child_template_config child_template;
  std::vector<limit_config> limits;
  std::map<std::string, std::string> own_properties, properties;
  std::vector<uint64_t> prepared;  // words of the parent's order
  std::vector<saved_decay> decayed;
  std::string order;  // of its children or applications
  bool quota_runs = false;
  int64_t quota_armed_ms = 0, quota_delay_ms = 0;
};

struct saved_node {
  std::string id;
  node_state state = node_state::schedulable;
  saved_amounts capacity, occupied;
  saved_pairs attributes;
};

// What asks and allocations need, apart from them: many are alike.
struct saved_need {
  struct split {
    uint32_t type = 0, count = 0;
    int64_t amount = 0;
    friend bool operator==(const split &, const split &) = default;
  };
  saved_amounts amounts;
  std::vector<split> devices;
  std::string required_node;
  friend bool operator==(const saved_need &, const saved_need &) = default;
};

struct saved_application {
  struct stage {
    int64_t at_ms = 0;
    application_state state = application_state::new_;
  };
  // How many placeholders of a task group have ended. The group itself may go on.
  struct ended_placeholders {
    std::string task_group;
    int64_t replaced = 0, timed_out = 0;
  };
  std::string id, user;
  uint32_t queue = not_saved;  // of one that ended none
  std::vector<std::string> groups;
  saved_pairs tags;
  application_state state = application_state::new_;
  std::vector<stage> log;
  uint64_t submission = 0, ended = 0;
  int64_t submitted_ms = 0, started_ms = 0, finished_ms = 0, said_creation_ms = 0, execution_timeout_ms = 0;
  saved_amounts placeholder_ask;
  bool hard_gang = false, direct_running = false, independent = false, counted = false;
  uint8_t place = 0;  // among the applications of its user and group: 0 none, 1 offered, 2 taken
  int64_t first_bind_ms = INT64_MAX;
  std::vector<uint64_t> prepared;  // words of its queue's order
  std::vector<saved_decay> decayed;
  std::string chosen_order;  // of nodes; empty: it chose none
  bool in_canary = false;
  std::string submitted_queue, message;
  std::vector<ended_placeholders> placeholders;  // ascending by task group; those with both counts 0 are left out
};

struct saved_ask {
  struct refused_node {
    uint32_t node = 0;
    std::string reason;
    uint32_t failed_starts = 0;
    int64_t until_ms = 0;
  };
  uint32_t application = 0;
  std::string key;
  uint32_t need = 0;
  int32_t priority = 0, max_allocations = 0, placed = 0;
  ask_state state = ask_state::initial;
  bool placeholder = false, originator = false, preempt_self = true, preempt_other = false;
  bool is_refused = false;  // it waits until the RM may accept it
  uint8_t told = 0;         // what an inspection said last: 0 nothing, 1 skipped, 2 failed
  uint64_t arrival = 0;
  int64_t create_time_ms = 0, execution_timeout_ms = 0;
  saved_pairs tags;
  std::string task_group;
  bool waits = false;  // the next ones are its own
  int64_t reserve_from_ms = INT64_MIN, preempt_from_ms = INT64_MIN;
  std::vector<refused_node> refusals;
};

struct saved_allocation {
  uint32_t ask = 0, node = 0, need = 0;
  uint64_t sequence = 0;
  allocation_state state = allocation_state::initial;
  int32_t priority = 0;
  bool placeholder = false, originator = false, preempt_self = true, bound = false, replaced = false;
  int64_t create_time_ms = 0, bind_time_ms = 0, placeholder_created_ms = 0;
  std::string task_group, devices;
};

// Not Tenon's: what it takes is in the node's occupied amounts.
struct saved_foreign {
  std::string key;
  uint32_t node = 0, need = 0;
  allocation_state state = allocation_state::initial;
  int32_t priority = 0;
  int64_t create_time_ms = 0, bind_time_ms = 0;
  std::vector<saved_devices> devices;
  saved_pairs tags;
};

// Of an allocation to be: those that its ask had when it was decided. Without a need: those that it has now.
struct saved_terms {
  uint32_t need = not_saved;
  int32_t priority = 0;
  bool originator = false, preempt_self = true, bound = false;
  int64_t create_time_ms = 0, execution_timeout_ms = 0;
  std::string task_group;
};

struct saved_replacement {
  uint32_t placeholder = 0, real = 0, node = 0;
  uint64_t number = 0;  // while it is proposed
  std::vector<saved_devices> devices;
  saved_terms terms;
};

struct saved_proposal {
  uint32_t application = 0;
  uint64_t number = 0;
  uint32_t made = not_saved, instead = not_saved;  // an allocation, a replacement
  int64_t execution_timeout_ms = 0;
  uint32_t armed = 0;
  bool has_deadline = false;
  uint8_t reserved = 0;  // a reservation of the ask ended with it: 1 as its node came, 2 emptied, 3 freed by preemption
};

struct saved_reservation {
  uint32_t ask = 0, node = 0;
  uint64_t sequence = 0;
  bool freed = false, empties = false;
  bool of_gang = false;  // one of those for a gang that begins whole
};

struct saved_claim {
  uint32_t ask = 0;
  std::vector<uint32_t> victims;  // allocations
};

struct saved_end {
  uint64_t allocation_sequence = 0;
  int64_t at_ms = 0;
};

// What came of a canary since it came.
struct saved_canary_tally {
  struct side {
    uint64_t placed = 0;
    int64_t waited_ms = 0;
  };
  uint32_t faults = 0;
  side its, others;
  uint32_t placed = 0, longer = 0;  // looked at together next
  side its_next, others_next;       // compared next
};

// In which shapes asks came, where an order of nodes looks at it. Amounts are by place of the type, those at the end
// that are missing 0; lists of shapes have one row for each, all of one length.
struct saved_shapes {
  struct shape {
    std::vector<int64_t> amounts;
    std::vector<std::string> tags;  // by key, "": none
    int64_t count = 0;
  };
  // What the generation that is seen has of a key.
  struct seen_key {
    std::string key;
    std::vector<std::string> tags;    // of its shapes
    std::vector<std::string> values;  // that nodes have
    std::vector<int64_t> totals;      // of these nodes, by value
  };
  bool followed = false;
  std::vector<std::string> keys;
  std::vector<shape> counted;
  uint32_t asks = 0, length = 0;         // of the generation to come
  std::vector<int64_t> counts, amounts;  // of the shapes of the generation that is seen
  std::vector<seen_key> seen_keys;
};

// How far an inspection in parts has come. What it names may be gone.
struct saved_inspection {
  // What asks that are FAILED would take within the max of a queue, or the limit of a user or group there.
  struct limit {
    std::string queue, user, group;
    amount_map amounts;
  };
  std::vector<std::string> leaves;  // that are left, by path, in their order
  uint64_t submission = 0;          // in the first one, after this application
  uint64_t application = 0;         // in this application, after the ask of
  bool is_within = false;           // these three; false: there is none
  int32_t priority = 0;
  int64_t create_time_ms = 0;
  uint64_t arrival = 0;
  uint64_t first_of = 0;  // application of the first ask that lacks headroom, 0: none
  std::string first_key;
  std::vector<limit> taken;
};

// What administrators stopped or drained.
struct saved_stops {
  std::string name;  // of a partition that is not there, without [rm]
  object_state partition = object_state::active;
  std::vector<std::string> queues, nodes;
};

struct saved_partition {
  std::string rm, name;  // without [rm]
  uint32_t number = 0;
  int64_t check_deadline_ms = 0;
  uint64_t epoch = 0;
  saved_stops stops;
  object_state state = object_state::active;
  bool paused = false;
  int64_t since_ms = 0;
  partition_config config;
  std::map<std::string, int32_t> priority_classes;
  std::vector<std::string> types;
  std::vector<saved_policy> queue_orders, application_orders, chosen_orders;
  bool node_order_faulty = false, has_canary = false, canary_faulty = false;
  std::string canary_why;
  int64_t canary_since_ms = 0;
  saved_canary_tally canary_tally;
  std::vector<saved_need> needs;
  std::vector<saved_queue> queues;
  std::vector<saved_node> nodes;
  std::vector<saved_application> applications;  // by submission, then those that ended
  std::vector<saved_ask> asks;                  // by arrival
  std::vector<saved_allocation> allocations;    // by sequence
  std::vector<saved_foreign> foreign;
  std::vector<saved_replacement> replacements;
  std::vector<saved_proposal> proposals;
  uint64_t delivered_to = 0;  // number of the last proposal that the RM was given
  std::vector<saved_claim> claims;
  std::vector<saved_reservation> reservations;
  std::vector<uint32_t> held_off;  // asks
  std::vector<saved_end> ends;     // of allocations with an execution timeout
  saved_shapes shapes;
  saved_inspection inspection;
  // The next numbers.
  uint64_t next_submission = 1, next_end = 1, next_arrival = 1, next_allocation = 1, next_queue = 1,
           next_reservation = 1;
};

// Of those kinds that are not armed with what they are about.
struct saved_timer {
  uint8_t kind = 0;        // as the kernel numbers them
  uint32_t partition = 0;  // place in saved_state::partitions
  int64_t due_ms = 0;
  uint32_t object = 0;  // a place in a list, or what the kind says
  uint64_t number = 0;  // of a proposal
};

struct saved_rm {
  std::string id;
  rm_state state = rm_state::init;
  int64_t check_deadline_ms = 0;
  uint64_t epoch = 0;
  std::vector<saved_stops> stops;  // of partitions that are not there
};

struct saved_state {
  std::vector<saved_rm> rms;
  std::vector<saved_partition> partitions;
  std::vector<saved_timer> timers;  // in the order in which they were armed
  uint32_t partitions_made = 0;
  uint64_t next_decision = 1;
};

}  // namespace tenon
