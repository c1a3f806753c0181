// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Changes: what happens to the objects of a partition, each as one value. The ledger writes it down; who keeps
// something that depends on it (readers, orders, keys, what waits) follows it. References are to what the change is
// about and live as long as the call that applies it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/ask_changes.hpp"
#include "model/ask_class.hpp"
#include "model/device_records.hpp"
#include "model/device_table.hpp"
#include "model/objects.hpp"
#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/decisions.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::internal {

// -- Nodes. --

struct node_moved {
  node &of;
  node_event by;
  node_state from;
};
struct capacity_set {
  node &of;
  const resources &to;
};
struct occupied_set {
  node &of;
  const resources &to;
};
// By somebody else's allocation: one more with sign 1, one less with -1.
struct occupied_by {
  node &of;
  const resources &amount;
  int sign;
};
struct room_taken {
  node &on;
  const ask_class &by;
};
// What is free in the columns follows with node_changed.
struct room_given {
  node &on;
  const resources &amount;
};
struct room_resized {
  node &on;
  const resources &before, &now;
};
struct attributes_set {
  node &of;
  texts to;
};
struct node_removed {
  node &of;
};
// Its columns of amounts and states are as its objects again.
struct node_stored {
  const node &of;
};
// The same, and what was known of it may be known no more: its verdicts, its place in every order, who waits for it.
struct node_changed {
  node &of;
  // Room that a proposal or replacement took. Else the RM may take there now what it refused.
  bool given_back = false;
};

// -- Devices. --

struct devices_set {
  node &of;
  std::vector<device_group> to;
};
// Types that some node divides are others now.
struct divided_types_changed {};
// A predicate failed, and is asked again about all nodes for some asks.
struct verdicts_forgotten {};
struct devices_held {
  const node &on;
  const held_devices &what;
  int sign;
};

// -- Queues: of a leaf, and of all above it. --

struct queue_moved {
  queue &of;
  object_event by;
};
struct queue_used {
  queue &leaf;
  const resources &amount;
  int sign;
};
struct queue_asked {
  queue &leaf;
  const resources &amount;
  int64_t times;
};
// So much of it is in this state, Preempting or Expiring.
struct queue_ending {
  queue &leaf;
  const resources &amount;
  allocation_state state;
  int sign;
};
// An application more or less that counts towards maxapplications of this queue.
struct queue_runs {
  queue &of;
  bool one_more;
};
// There is one more.
struct queue_made {
  queue &of;
};
// Its order, and the shares of its items, can be computed: it has its properties.
struct queue_prepared {
  queue &of;
};
// The configuration names it from now on.
struct queue_named {
  queue &of;
};
// All queues are as the configuration says: what they are, and who may order them.
struct queues_configured {
  queue &root;
};
struct queue_retired {
  queue &of;
};
// It is a leaf now and was none, or was one.
struct queue_turned {
  const queue &of;
};
struct queue_resized {
  queue &of;
  const resources &max_before, &guaranteed_before;
};
struct queue_limited {
  const queue &of;
  const std::vector<limit_config> &before;
};
// The sum of all nodes, which is the root's max.
struct total_counted {
  const queue &root;
  const resources &before, &now;
};
// So many allocations give way, for it has more than its max.
struct quota_enforced {
  const queue &of;
  size_t victims;
};

// -- Users and groups. --

// In every queue on the path of the application, for its user and for its group.
struct limit_used {
  const application &by;
  const resources &amount;
  int sign;
};
// The application counts towards their maxapplications there from now on, or not any more.
struct limit_runs {
  const application &who;
  bool one_more;
};
// It counts for another group, or for none: an empty name.
struct application_grouped {
  const application &of;
  const std::string &before, &now;
};
// What it has is counted for its user in this queue from now on, or not any more.
struct use_moved {
  const application &of;
  const resources &amount;
  bool comes;
};

// -- Applications. --

struct application_moved {
  application &of;
  application_event by;
};
// In its queue, in the state that all begin in.
struct application_made {
  application &of;
};
// It has all that its resource manager says of it.
struct application_admitted {
  application &of;
};
// It is on its way into the other queue, and out of its own.
struct application_going {
  application &of;
  const queue &to;
};
// It has come to its queue from the other one.
struct application_come {
  application &of;
  const queue &from;
};
// Its queue has it no more.
struct application_left {
  application &of;
  const queue &from;
};
struct application_forgotten {
  application &of;
};
// It is in another state, which those outside hear of.
struct application_entered {
  application &of;
};
// It is another queue's.
struct application_rehomed {
  application &of;
  queue &to;
};
struct application_used {
  application &of;
  bool by_placeholder;
  const resources &amount;
  int sign;
};
struct application_resized {
  application &of;
  bool by_placeholder;
  const resources &before, &now;
};
struct application_asked {
  application &of;
  const resources &amount;
  int64_t times;
};
// What it only shows has nothing of types that are forgotten any more.
struct application_types_forgotten {
  const application &of;
};

// What its queue's order reads of it, or its key.
struct application_ordered {
  const application &of;
};

// The canary of the partition, by itself or by people.
struct canary_returned {
  std::string_view why;  // lives until the next drain
};

// Changes that are treated alike.
template <class Change, class... These>
concept one_of = (std::same_as<Change, These> || ...);

}  // namespace tenon::internal
