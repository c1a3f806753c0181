// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "queueing/change_dispatcher.hpp"

namespace tenon::internal {

// -- Nodes. --

void change_dispatcher::follow(const room_taken &c) {
  touch_node(c.on.slot);
  ready.wake_for_places();
  reserved.look_for_victims(c.on);
  // What ends there at a known time may be enough later only, and those who backfill have more time.
  if (config.tuning.reservation_backfill && !c.on.reservations->empty()) ready.wake_for_node(c.on);
}

void change_dispatcher::follow(const node_changed &c) {
  if (!c.given_back) refusals.forget_on(c.of);
  touch_node(c.of.slot);
  verdicts.forget(c.of.slot);
  ready.wake_cluster();
  ready.wake_for_node(c.of);
}

void change_dispatcher::touch_node(uint32_t slot) {
  victims.outcome_changed();
  sortings.touch(slot);
  verdicts.amounts_changed(slot);
}

void change_dispatcher::follow(const node_reopened &c) {
  if (nodes.open(c.of.slot)) sortings.opened(c.of.slot);
  ready.wake_for_node(c.of);
}

// Those who backfill look at what ends when.
void change_dispatcher::follow(const allocation_moved &c) {
  victims.outcome_changed();
  node &n = *c.of.where;
  victims.moved(c.of, c.by);
  if (c.by == allocation_event::confirm) reserved.look_for_victims(n);
  if (config.tuning.reservation_backfill && !n.reservations->empty()) ready.wake_for_node(n);
}

void change_dispatcher::count_of_gang(reservation &r, bool in) {
  in ? reserved.follow(r) : reserved.forget(r);
  if (r.way == way_to_room::it_empties) ready.node_empties(r, in);
}

// -- Queues. --

void change_dispatcher::follow(const queue_used &c) {
  for (queue *q = &c.leaf; q != nullptr; q = q->parent) keys.changed(*q, column::allocated);
  for (queue *q = &c.leaf; q->parent != nullptr; q = q->parent) headroom_changed(*q, c.sign < 0);
}

void change_dispatcher::follow(const queues_configured &c) {
  fair_maxima.refresh(c.root);
  for_each_queue(c.root, [&](queue &q) { keys.restart(q); });
  priorities.refresh_all(c.root);
  ready.wake_all_below(c.root);
  gangs.wake_stuck();
  keys.forget_periods();
}

void change_dispatcher::follow(const queue_moved &c) {
  c.of.state == object_state::stopped ? ready.queue_became_unready(c.of) : ready.queue_became_ready(c.of);
  for_each_queue(c.of, [&](queue &below) {
    for (application *app : below.apps) {
      gangs.changed(*app);
      reserved.doubt(*app);
    }
  });
}

void change_dispatcher::follow(const queue_retired &c) {
  ready.forget(c.of);
  queue_priorities::count(*c.of.parent, c.of.priority, INT32_MIN);
  priorities.refresh(*c.of.parent);
}

void change_dispatcher::follow(const queue_resized &c) {
  queue &q = c.of;
  reserved.doubt(q);
  if (!orders.empty()) orders.headroom_fell(q);
  doubt_if_no_place(q);
  if (config.preemption_enabled && !q.guaranteed.empty()) victims.keep();
  if (q.order == nullptr) return;  // it is new
  fair_maxima.refresh(q);
  keys.changed(q, column::limits);
  ready.wake_headroom(q);
  if (q.max != c.max_before) ready.wake_blocked();
  lines.room_rose(q);
  victims.outcome_changed();
  if (q.guaranteed == c.guaranteed_before) return;
  for (const application *app : q.apps) {
    for (ask *a : app->asks) alarms.chance_changed(*a);  // any order: each is on its own
  }
}

void change_dispatcher::headroom_changed(queue &q, bool more) {
  if (more) return ready.wake_headroom(q);
  reserved.doubt(q);
  if (!orders.empty()) orders.headroom_fell(q);
}

void change_dispatcher::doubt_if_no_place(const queue &q) {
  if (q.max_applications == 0 || q.running_apps < q.max_applications) return;
  reserved.doubt_all(q.reserved_below);
  orders.place_taken(q);
}

// -- Applications. --

void change_dispatcher::follow(const application_moved &c) {
  if (c.by == application_event::remove) may_run(c.of);
}

void change_dispatcher::may_run(application &app) {
  gangs.changed(app);
  if (app.home == nullptr) return;
  app.runs() ? ready.let_go(app) : ready.hold(app);
  keys.changed(app, column::state);
}

void change_dispatcher::follow(const queue_asked &c) {
  for (queue *q = &c.leaf; q != nullptr; q = q->parent) keys.changed(*q, column::pending);
}

}  // namespace tenon::internal
