// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Facts: everything that happens inside a kernel, told to one listener at the moment at which it happens. Decisions
// are what resource managers are told; facts are for records of events. A kernel without a listener pays nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/resources.hpp"
#include "tenon/kernel/states.hpp"

namespace tenon {

enum class fact_kind : uint8_t {
  application_added,
  application_rejected,   // text: why
  application_state,      // state; text: why
  application_left,       // its queue
  application_held,       // by maxapplications; flag: of a limit of its user or group
  application_freed,      // it may run again; flag as above
  application_moved_out,  // of its queue, to other_queue
  application_moved_in,   // to its queue, from other_queue

  ask_added,            // amounts: of one allocation
  ask_removed,          // why: stopped_by_rm or timeout; amounts as above
  ask_over_queue,       // does not fit in its queue; amounts, available
  ask_fits_queue,       // does again
  ask_over_quota,       // does not fit in what its user or group may use; amounts, available
  ask_fits_quota,       // does again
  ask_unschedulable,    // text: "reason (nodes), ..."; each ask once in 15 s
  ask_without_victims,  // its required node is `node`; each ask once in 15 s

  allocation_added,    // amounts
  allocation_removed,  // why; flag: its node is gone; amounts
  allocation_resized,  // amounts: now; available: before
  preempted,           // by `other_key` of `other_application` in `other_queue`; no key: for the max of that queue
  placeholder_small,   // text: task group; amounts: of `other_key`, which it is for; available: its own
  foreign_added,       // amounts
  foreign_removed,

  node_added,     // amounts: capacity
  node_rejected,  // text: why
  node_removed,
  node_schedulable,  // flag: it is
  node_capacity,     // amounts
  node_occupied,     // amounts
  reserved,          // amounts: of the ask
  unreserved,

  queue_added,    // flag: configured, not created by placement
  queue_removed,  // the same
  queue_max,      // amounts; of the root: the sum of the nodes
  queue_guaranteed,
  queue_type,   // flag: a leaf now
  queue_quota,  // text: what its lowered max led to; amounts: the max

  group_linked,  // the application counts for the group
  group_unlinked,
  group_usage,  // flag: more, else less; amounts. Of a group that an application left or came to, in the queue
  user_usage,   // the same of its user, where an application is moved
  user_limit,   // flag: set, else removed; amounts
  group_limit,

  canary_back,  // of the partition; text: why

  node_update_rejected,  // a change of a node that is there or not; text: why

  time_to_come,  // of an application, or of what has `key`; text: what was said, and what is taken
};

inline constexpr size_t fact_kind_count = static_cast<size_t>(fact_kind::time_to_come) + 1;
[[nodiscard]] std::string_view name(fact_kind);

// One fact. Everything it points to is borrowed for the call.
struct fact {
  fact_kind kind = fact_kind::application_added;
  termination why = termination::unknown;
  application_state state = application_state::new_;
  bool flag = false;
  uint64_t allocation_sequence = 0;
  int64_t now_ms = 0;
  std::string_view partition;
  std::string_view application;
  std::string_view key;
  std::string_view node;
  std::string_view queue;
  std::string_view user;   // of the application
  std::string_view group;  // for which it counts, or ""
  std::string_view text;
  std::string_view other_key, other_application, other_queue;
  const resources *amounts = nullptr;
  const resources *available = nullptr;
  const resource_types *types = nullptr;  // of these
};

// Must not call the kernel.
class fact_listener {
 public:
  virtual ~fact_listener() = default;
  virtual void take(const fact &what) = 0;
};

}  // namespace tenon
