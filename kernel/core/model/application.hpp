// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Applications, with their task groups and what they ask for, by class.
#pragma once

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/indexed_heap.hpp"
#include "base/priority_counts.hpp"
#include "base/sequence_list.hpp"
#include "base/sort_key.hpp"
#include "base/sorted_run.hpp"
#include "model/allocation.hpp"
#include "model/ask.hpp"
#include "model/ask_table.hpp"
#include "model/decayed_usage.hpp"
#include "model/object_names.hpp"
#include "model/owned.hpp"
#include "model/owned_state.hpp"
#include "model/parked_unit.hpp"
#include "model/past_use.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::internal {

// Whether an application counts towards maxapplications of its user and group.
enum class limit_place : uint8_t {
  none,
  offered,  // as long as what the RM checks may still become its first allocation
  taken     // until nothing of it is allocated or pending
};

inline constexpr uint32_t no_class = ~uint32_t{0};

// The placeholders of one name in an application, and the real asks that wait for them.
struct task_group {
  std::string_view name;  // the key under which its application has it
  application *owner = nullptr;
  uint32_t first_class = no_class;                    // of the first placeholder
  owned<int64_t, task_group> pending;                 // placeholders that are asked for
  owned<int64_t, task_group> held;                    // placeholder allocations, whatever their state
  sorted_run<allocation, sequence_before> allocated;  // those in state Allocated, none proposed in their place
  boost::container::small_vector<std::pair<uint32_t, uint32_t>, 1> sizes;  // of these: class and number
  ask_run waiting;                                                         // pending real asks, while in_force()
  bool in_play = false;                                                    // some wait and some are Allocated
  size_t next = 0;                                                         // of `waiting`, while pass B looks at it
  boost::container::small_vector<uint32_t, 2> hopeless;                    // classes for which that found nothing
  int64_t replaced = 0, timed_out = 0;                                     // placeholders that ended
  int64_t members = 0;                                                     // allocations that are not ending

  // So many members may go before fewer are left than it has had placeholders. A group that has fewer needs none.
  [[nodiscard]] int64_t can_spare() const {
    const int64_t spare = members - (pending + held + replaced + timed_out);
    return spare < 0 ? INT64_MAX : spare;
  }
  [[nodiscard]] bool in_force() const { return pending > 0 || held > 0; }
};

[[nodiscard]] inline bool waits_for_placeholders(const ask &a) {
  return a.gang != nullptr && !a.placeholder && a.gang->in_force();
}

// Pending asks of one class in one application, in the order in which they are tried.
struct app_class {
  uint32_t index = 0;
  bool live = false;
  uint32_t slot = 0;  // in the list of its application
  application *owner = nullptr;
  leaf_class *unit = nullptr;
  ask_run run;
  uint32_t position = not_in_heap;  // in its unit's heap, or in that of
  limit_line *line = nullptr;       // this line, while a limit is reached
  bool parked_on_nodes = false;     // by itself: no more nodes are reserved for its application

  [[nodiscard]] bool empty() const { return run.empty(); }
  [[nodiscard]] ask *first() const { return run.first(); }
};

// What pass B of the cycle knows of an application: written by the gangs alone.
struct gang_part {
  std::vector<task_group *> in_play;  // any order: the asks in them have one
  uint32_t position = not_in_heap;
  bool stuck = false;  // nothing could be replaced, and nothing changed since
};

// Timers of an application's placeholders, and of those left over; 0: it does not run.
struct placeholder_epochs {
  uint64_t waiting = 0, left_over = 0;
};

struct application {
  uint32_t index = 0;
  bool live = false;
  std::string id;
  queue *home = nullptr;
  std::string user;
  std::vector<std::string> groups;
  tag_list tags;
  owned_state<application_state, application> state;
  std::vector<std::pair<int64_t, application_state>> state_log;
  uint64_t submission = 0;  // order of arrival in the partition
  uint64_t ended = 0;       // order of end; 0: it has not
  int64_t submitted_ms = 0, started_ms = 0, finished_ms = 0;
  int64_t execution_timeout_ms = 0;
  int64_t said_creation_ms = 0;  // when it was created, as its RM says; 0: it does not
  owned<resources, application> allocated, placeholders, pending;
  resources placeholder_ask;
  past_use past;
  bool hard_gang = false, direct_running = false, independent = false;
  bool counted = false;  // in running_apps of its queues
  limit_place place = limit_place::none;
  bool key_dirty = false;
  bool in_canary = false;              // it is one of those that the canary is for
  uint64_t epoch = 0;                  // of the state: timers of an older one are void
  priority_counts priorities;          // of its pending asks
  int32_t priority = INT32_MIN;        // the highest of these
  int32_t keyed_priority = INT32_MIN;  // when its key was made
  ask_table asks;                      // pending or with allocations
  sequence_list<allocation> allocations;
  std::vector<app_class *> classes;
  app_class *last_group = nullptr;  // of the last ask that came: the next one is often alike. It alone may be empty
  sort_key key;
  std::array<uint64_t, 4> prepared{};  // by its queue's order
  node_sorting *nodes_by = nullptr;    // that it chose, or the canary's; null: its partition's
  std::vector<decayed_usage> decayed;  // that its queue's order reads
  usage_node *user_usage = nullptr;    // in its leaf
  usage_node *group_usage = nullptr;
  std::string group;            // the one whose limits hold, or ""
  std::string submitted_queue;  // as the RM sent it
  uint64_t run_epoch = 0;       // of its execution timer, 0: none
  std::string message;

  std::map<std::string, task_group, std::less<>> task_groups;
  gang_part gang;
  uint32_t placeholder_count = 0;          // of its allocations
  owned<uint32_t, application> under_way;  // replacements
  int64_t first_bind_ms = INT64_MAX;       // of its placeholders since it was Accepted
  placeholder_epochs placeholder_timers;
  ask_run refused;                                              // asks in line::refused
  std::unique_ptr<parked_unit> whole_gang;                      // while these wait together
  ask_run reserved;                                             // asks in line::reserved
  owned<std::vector<reservation *>, application> reservations;  // in the order in which they were made
  owned<std::vector<proposal>, application> proposals;          // by number
  uint64_t kept_bytes = 0;                                      // of it in kept_amounts

  [[nodiscard]] bool runs() const {
    return state == application_state::accepted || state == application_state::starting ||
           state == application_state::running;
  }
  // Whether an ask is pending. Sums of amounts, as `pending`, stop at the largest number and do not come back.
  [[nodiscard]] bool has_pending() const { return !priorities.empty(); }
  [[nodiscard]] const resources &used(bool by_placeholders) const { return by_placeholders ? placeholders : allocated; }
  // By its queue's order; 0: it is not, or nobody knows until when.
  [[nodiscard]] int64_t left_out_until_ms() const {
    return key.held_back() && key.not_before_ms != INT64_MAX ? key.not_before_ms : 0;
  }

 private:
  friend class fact_teller;
  uint8_t told_held_ = 0;  // why the listener knows it to be held
};

struct submission_of {
  uint64_t operator()(const application &app) const { return app.submission; }
};

// Applications with something to replace: the first that was submitted is the first to be looked at.
struct gang_before {
  bool operator()(const application &a, const application &b) const { return a.submission < b.submission; }
};
struct gang_position {
  uint32_t &operator()(application &a) const { return a.gang.position; }
  const uint32_t &operator()(const application &a) const { return a.gang.position; }
};
struct gang_prefix {
  key_prefix operator()(const application &a) const { return {a.submission, 0}; }
};
using gang_heap = indexed_heap<application, gang_before, gang_position, gang_prefix>;

}  // namespace tenon::internal
