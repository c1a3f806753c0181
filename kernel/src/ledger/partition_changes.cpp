// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What follows from a change, once the ledger has written it down: orders of nodes, verdicts and keys that are stale,
// and who wakes. What only hands the change on is in partition.hpp.
#include "partition.hpp"

namespace tenon::internal {

// -- Nodes. --

void partition::follow(const room_taken &c) {
  touch_node(c.on.slot);
  reservations.look_for_victims(c.on);
  // What ends there at a known time may be enough later only, and those who backfill have more time.
  if (config.tuning.reservation_backfill && !c.on.reservations.empty()) ready.wake_for_node(c.on);
}

void partition::follow(const node_changed &c) {
  touch_node(c.of.slot);
  verdicts.forget(c.of.slot);
  ready.wake_for_node(c.of);
}

void partition::touch_node(uint32_t slot) {
  preemption.changed();
  for_each_node_order([slot](node_order &order) { order.touch(slot); });
  verdicts.amounts_changed(slot);
}

// Those who backfill look at what ends when.
void partition::follow(const allocation_moved &c) {
  preemption.changed();
  node &n = *c.of.where;
  if (config.tuning.reservation_backfill && !n.reservations.empty()) ready.wake_for_node(n);
}

// -- Queues. --

void partition::follow(const queue_used &c) {
  for (queue *q = &c.leaf; q != nullptr; q = q->parent) keys.changed(*q, column::allocated);
  if (c.sign > 0) return;
  for (queue *q = &c.leaf; q != nullptr; q = q->parent) ready.wake_headroom(*q);
}

void partition::follow(const queue_asked &c) {
  for (queue *q = &c.leaf; q != nullptr; q = q->parent) keys.changed(*q, column::pending);
}

}  // namespace tenon::internal
