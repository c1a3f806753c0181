// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Blocks: what readers see of one object. What seldom changes is apart, so that a new block shares it with the older.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/objects.hpp"
#include "snapshots/frozen_column.hpp"
#include "tenon/kernel/snapshot.hpp"

namespace tenon::internal {

inline constexpr uint32_t none_there = ~uint32_t{0};

struct frozen_ask {
  struct terms {
    std::string key, task_group;
    tag_list tags;
    [[nodiscard]] size_t bytes() const;
  };
  const terms *fixed = nullptr;  // null: there is no ask
  uint64_t arrival = 0;
  int64_t create_time_ms = 0;
  uint32_t application = 0, class_id = 0;
  uint32_t group = none_there;     // where it stands in line::run
  uint32_t reserved = none_there;  // the node that is kept for it
  int32_t priority = 0, pending = 0, max_allocations = 1;
  ask_state state = ask_state::pending;
  ask_line line = ask_line::none;
  bool placeholder = false, originator = false, preempts = false, scales_up = false;
  bool waits_for_gang = false;  // to begin with it

  [[nodiscard]] bool there() const { return fixed != nullptr; }
  void drop(frozen_past &past) { past.drop(fixed); }
};

struct frozen_allocation {
  struct rare {
    std::string foreign_key, task_group, detail, replaced_by, replaced_on;
    uint64_t proposed_as = 0;
    int64_t placeholder_created_ms = 0;
    tag_list tags;  // of a foreign one
    [[nodiscard]] size_t bytes() const;
  };
  const rare *more = nullptr;  // null: nothing of it
  uint64_t sequence = 0;
  int64_t create_time_ms = 0, bind_time_ms = 0;
  uint32_t application = none_there, ask = none_there;  // none: it is foreign
  uint32_t node = none_there;                           // none: there is no allocation
  uint32_t class_id = 0;
  int32_t priority = 0;
  allocation_state state = allocation_state::allocated;
  bool placeholder = false, originator = false, preemptible = true, replaced = false;

  [[nodiscard]] bool there() const { return node != none_there; }
  void drop(frozen_past &past) { past.drop(more); }
};

struct frozen_node {
  struct facts {
    std::string id;
    std::map<std::string, std::string> attributes;
    resources capacity;
    [[nodiscard]] size_t bytes() const;
  };
  struct amounts {
    resources allocated, occupied;
    [[nodiscard]] size_t bytes() const { return sizeof(amounts) + 16; }
  };
  struct rare {
    std::map<std::string, std::vector<int64_t>> devices;
    std::vector<std::string> reservations;
    std::vector<std::pair<uint64_t, std::string>> coming;  // by sequence of what they replace
    [[nodiscard]] size_t bytes() const;
  };
  const facts *fixed = nullptr;  // null: there is no node
  const amounts *has = nullptr;
  const rare *more = nullptr;  // null: nothing of it
  bool schedulable = true;

  [[nodiscard]] bool there() const { return fixed != nullptr; }
  void drop(frozen_past &past) {
    past.drop(fixed);
    past.drop(has);
    past.drop(more);
  }
};

struct frozen_application {
  struct facts {
    std::string id, queue, user, message;
    std::vector<std::string> groups, reservations, reserved_for;
    std::vector<std::pair<int64_t, application_state>> state_log;
    std::vector<placeholder_snapshot> task_groups;
    std::vector<resources> sizes;  // of their first placeholders
    resources placeholder_ask;
    tag_list tags;
    [[nodiscard]] size_t bytes() const;
  };
  struct amounts {
    resources allocated, placeholders, pending;
    past_use past;
    [[nodiscard]] size_t bytes() const { return sizeof(amounts) + 16 + past.by_end.size() * sizeof(past.by_end[0]); }
  };
  const facts *fixed = nullptr;  // null: there is no application
  const amounts *has = nullptr;
  uint64_t submission = 0, ended = 0;  // ended: in which order; 0: it has not
  int64_t submitted_ms = 0, started_ms = 0, finished_ms = 0;
  int64_t not_before_ms = 0;
  int32_t priority = INT32_MIN;
  application_state state = application_state::new_;

  [[nodiscard]] bool there() const { return fixed != nullptr; }
  void drop(frozen_past &past) {
    past.drop(fixed);
    past.drop(has);
  }
};

// Classes never change.
struct frozen_class {
  struct facts {
    resources need;
    std::string required_node;
    [[nodiscard]] size_t bytes() const { return sizeof(facts) + 16; }
  };
  const facts *fixed = nullptr;

  [[nodiscard]] bool there() const { return fixed != nullptr; }
  void drop(frozen_past &past) { past.drop(fixed); }
};

struct frozen_queue {
  struct facts {
    std::string path;
    bool leaf = false, managed = true;
    resources guaranteed, max;
    std::map<std::string, std::string> properties;
    uint64_t max_applications = 0;
    child_template_config child_template;
  };
  std::shared_ptr<const facts> fixed;
  object_state state = object_state::active;
  resources allocated, pending, preempting;
  std::string order;  // of its children or applications
  int32_t priority = 0;
  uint32_t parent = none_there;  // in the list of queues
};

// What all asks of one application and class wait for.
enum class blocker : uint8_t {
  none,
  application_count,          // maxapplications of a queue
  limited_application_count,  // maxapplications of a limit in a queue
  application_order,          // of a queue holds the application back
  limit,                      // on a type in a queue
  headroom,                   // of a type in a queue
  nodes,                      // none fits
  queue_order,                // of a queue holds one of its children back
  stopped_queue               // somebody stopped it
};
struct group_wait {
  blocker what = blocker::none;
  type_index type = no_type;
  const queue *where = nullptr;
  bool for_good = false;  // of an order: until something changes, not until a time
};
struct frozen_wait {
  blocker what = blocker::none;
  type_index type = no_type;
  uint32_t queue = none_there;
  bool for_good = false;
};
[[nodiscard]] std::string words_where_refused(bool waits_for_gang);
[[nodiscard]] std::string words_where_reserved(std::string_view node);
[[nodiscard]] std::string words_where_placeholders(std::string_view task_group);
[[nodiscard]] std::string words_of(blocker what, std::string_view type, std::string_view queue, std::string_view order);

// One user or group.
struct frozen_tracker {
  struct usage {
    std::string queue;
    resources used, max;
    uint64_t max_applications = 0;
    std::vector<uint32_t> running;  // applications
  };
  std::string name;
  std::vector<usage> queues;  // by path
};

struct frozen_columns;

// A partition as of one moment.
struct frozen_partition {
  std::shared_ptr<const frozen_columns> of;  // the blocks are its own
  std::shared_ptr<frozen_past::reading> reading;
  partition_snapshot head;  // what is no list
  snapshot_part parts = snapshot_part::all;
  resources total;
  resources free_together;  // of its types, on all usable nodes
  std::shared_ptr<const std::vector<std::string>> types;
  std::vector<frozen_queue> queues;
  std::vector<frozen_wait> waits;  // by group of asks
  frozen_blocks<frozen_class> classes;
  frozen_blocks<frozen_ask> asks;
  frozen_blocks<frozen_allocation> allocations;
  frozen_blocks<frozen_node> nodes;
  frozen_blocks<frozen_application> applications;
  std::vector<std::shared_ptr<const frozen_tracker>> users, groups;

  frozen_partition() = default;
  frozen_partition(frozen_partition &&) = default;
  frozen_partition &operator=(frozen_partition &&) = delete;
  ~frozen_partition() {
    if (reading != nullptr) reading->over.store(true, std::memory_order_release);
  }
};

}  // namespace tenon::internal
