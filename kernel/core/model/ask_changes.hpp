// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Changes of asks, of what is proposed and reserved for them, and of allocations (model/changes.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/objects.hpp"
#include "tenon/kernel/decisions.hpp"

namespace tenon::internal {

struct group_made {
  task_group &of;
};
// So many more placeholders of the group are pending, or there.
struct group_counted {
  task_group &of;
  int64_t pending, held;
};
// A real ask is on its way into the place of a placeholder, or not any more.
struct replacement_made {
  replacement &of;
};
struct replacement_ended {
  replacement &of;
};
// What is proposed in its place; null: nothing is any more.
struct replacement_proposed {
  allocation &of;
  replacement *by;
};
// What is under way in its place; null: nothing is any more.
struct replacement_begun {
  allocation &of;
  replacement *by;
};
// It gives way for an ask, whose wait is there.
struct victim_claimed {
  ask &by;
  allocation &of;
};
// The ask waits for it no more.
struct claim_ended {
  ask &by;
  const allocation &of;
};
struct claims_forgotten {
  ask &by;
};
// The wait of its ask is there.
struct reservation_made {
  reservation &of;
};
// Preemption frees the node.
struct reservation_freed {
  reservation &of;
};
struct reservation_ended {
  reservation &of;
  const reason &why;
};
// Its reservations keep it `closed` to searches for others, or not.
struct node_closed {
  const node &of;
  bool closed;
};
// The same, and it has a reservation less: others may have it now.
struct node_reopened {
  node &of;
  bool closed;
};
// The resource manager is asked whether it accepts it.
struct proposal_made {
  application &owner;
  const proposal &what;
};
// `why`: it is undone; null: it was accepted.
struct proposal_ended {
  application &owner;
  const proposal &what;
  const reason *why;
};
// What an inspection said of it.
struct ask_told {
  ask &of;
  container_word word;
};
// Where it stands in line; `group`: where that is ask_line::run.
struct ask_lined_up {
  ask &of;
  ask_line to;
  app_class *group;
};
struct ask_moved {
  ask &of;
  ask_event by;
};
// It is what a command says, whatever it was before.
struct ask_filled {
  ask &of;
  int32_t wanted;  // allocations
};
struct ask_wants {
  ask &of;
  int32_t before, wanted;
};
// So many more of its allocations are there, or under way.
struct ask_placed {
  ask &of;
  int32_t more;
};
// It wants no more, as its application or the resource manager says. `told`: why, where that one does not know it.
struct ask_withdrawn {
  const ask &of;
  termination end;
  const reason *told;
};
struct ask_forgotten {
  ask &of;
};
// An ask takes the place of another one under the same key.
struct ask_replaced {
  ask &of;
};
struct allocation_made {
  allocation &of;
  allocation_event by;
};
// The resource manager knows of it from now on. `existing`: it said so itself.
struct allocation_announced {
  const allocation &of;
  bool existing;
};
struct allocation_moved {
  allocation &of;
  allocation_event by;
  const reason *why = nullptr;  // it is to be released, which the resource manager is told; null: it is not
};
// A placeholder that is smaller than an ask of its group, and goes.
struct placeholder_outgrown {
  const allocation &of;
  const ask &by;
};
// It gives way for the ask; null: for the queue `over`, which has more than its max.
struct allocation_preempted {
  const allocation &of;
  const ask *by;
  const queue *over;
};
// It is of another class.
struct allocation_resized {
  allocation &of;
  uint32_t class_id;
  const resources &before;
};
// It goes by a command, which the resource manager did not wait for.
struct allocation_dismissed {
  const allocation &of;
  termination end;
  const reason &why;
};
// It begins to go by the event; where it is counted it is no more, when it ended.
struct allocation_leaving {
  const allocation &of;
  allocation_event by;
};
struct allocation_ended {
  allocation &of;
  allocation_event by;
};

}  // namespace tenon::internal
