// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Change dispatcher: the one way by which amounts and states change (model/changes.hpp). A change is written down, and
// readers are marked (ledger/change_writer.hpp); then what depends on it follows here: what is stale, and who wakes.
// Who changes something is told this class, and nothing else of the partition. It knows rules by their ports alone.
#pragma once

#include "ledger/change_writer.hpp"
#include "ledger/victim_room.hpp"
#include "model/gang_reservations.hpp"
#include "policies/node_sorting.hpp"
#include "queueing/ask_alarms.hpp"
#include "queueing/fair_max.hpp"
#include "queueing/gang_turns.hpp"
#include "queueing/held_off_asks.hpp"
#include "queueing/kept_orders.hpp"
#include "queueing/limit_lines.hpp"
#include "queueing/queue_priorities.hpp"
#include "queueing/ready_index.hpp"
#include "queueing/reserved_line.hpp"
#include "queueing/rule_ports.hpp"
#include "queueing/sort_keys.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::internal {

struct change_dispatcher_access {
  change_writer &written;
  const partition_config &config;
  const node_table &nodes;
  node_sortings &sortings;
  node_filter &verdicts;
  refused_nodes &refusals;
  sort_keys &keys;
  fair_max &fair_maxima;
  queue_priorities &priorities;
  ready_index &ready;
  ask_alarms &alarms;
  gang_turns &gangs;
  limit_lines &lines;
  kept_orders &orders;
  reserved_line &reserved;
  held_off_asks &held_off;
  victim_room &victims;
};

class change_dispatcher : change_dispatcher_access {
 public:
  explicit change_dispatcher(const change_dispatcher_access &all) : change_dispatcher_access(all) {}

  template <class Change>
  void apply(const Change &c) {
    written.write(c);
    if constexpr (requires { follow(c); }) {
      static_assert(!followed_by_nobody<Change>);
      follow(c);
    }
  }

 private:
  void follow(const room_taken &c);
  void follow(const node_changed &c);
  // The orders know nothing yet of the sums of nodes that do not divide such a type.
  void follow(divided_types_changed) { sortings.touch_all(); }
  void follow(const node_removed &c) {
    sortings.removed(c.of.slot);
    verdicts.forget(c.of.slot);
    victims.changed(c.of);
  }
  void follow(verdicts_forgotten) {
    victims.outcome_changed();
    ready.wake_judged();
  }
  void follow(const node_moved &) { victims.outcome_changed(); }
  void follow(const node_reopened &c);
  void follow(const reservation_made &c) {
    victims.outcome_changed();
    ready.wake_for_places();
    if (c.of.of_gang) count_of_gang(c.of, true);
  }
  void follow(const reservation_freed &c) { ready.wake_beside_reserved(*c.of.of->owner); }
  void follow(const reservation_ended &c) {
    if (c.of.of_gang) count_of_gang(c.of, false);
    ready.wake_parked_groups(*c.of.of->owner);
    ready.wake_beside_reserved(*c.of.of->owner);
    victims.outcome_changed();
    held_off.call();
  }
  void follow(const claim_ended &c) {
    if (!c.by.wait->victims->empty()) return;
    victims.outcome_changed();
    if (const reservation *r = reservation_of(c.by)) reserved.look_again(*r->where);
    reserved.doubt(*c.by.owner);
  }
  void follow(const claims_forgotten &) { victims.outcome_changed(); }
  void follow(const allocation_made &c) { victims.came(c.of); }
  void follow(const allocation_leaving &c) { victims.goes(c.of); }
  void follow(const allocation_resized &c) { victims.changed(*c.of.where); }
  void follow(const allocation_moved &c);
  void follow(const application_made &c) { keys.follow_decay(c.of); }
  void follow(const application_moved &c);
  void follow(const application_entered &c) { may_run(c.of); }
  void follow(const application_rehomed &) { victims.outcome_changed(); }
  void follow(const application_going &c) {
    ready.wake_beside_reserved(c.of);
    for_each_of_gang(c.of, [&](reservation &r) { count_of_gang(r, false); });
  }
  void follow(const application_come &c) {
    for_each_of_gang(c.of, [&](reservation &r) { count_of_gang(r, true); });
    keys.follow_decay(c.of);
    gangs.changed(c.of);
  }
  void follow(const queue_used &c);
  void follow(const queue_asked &c);
  void follow(const queue_awaited &c) {
    if (!c.of.kept.empty()) headroom_changed(*c.of.in, c.sign < 0);
  }
  void follow(const queue_made &c) { keys.changed(c.of, ~0U); }
  void follow(const queue_prepared &c) {
    keys.follow_decay(c.of);
    fair_maxima.refresh(c.of);
  }
  void follow(const queues_configured &c);
  void follow(const queue_moved &c);
  void follow(const queue_retired &c);
  void follow(const total_counted &) { fair_maxima.total_changed(); }
  void follow(const queue_resized &c);
  void follow(const queue_runs &c) { c.one_more ? doubt_if_no_place(c.of) : lines.room_rose(c.of); }
  void follow(const limit_used &c) {
    for_each_limit(c.by, [&](usage_node &u) {
      if (c.sign < 0) return lines.room_rose(u);
      reserved.doubt(u);
      orders.limit_rose(u);
    });
  }
  void follow(const limit_runs &c) {
    for_each_limit(c.who, [&](usage_node &u) {
      if (!c.one_more) return lines.room_rose(u);
      if (u.max_applications == 0 || u.running->size() < u.max_applications) return;
      reserved.doubt_all(u.reserved);
      orders.limit_rose(u);
    });
  }
  void follow(const application_used &c) {
    keys.changed(c.of, c.by_placeholder ? column::placeholders : column::allocated);
  }
  void follow(const application_resized &c) {
    keys.changed(c.of, c.by_placeholder ? column::placeholders : column::allocated);
  }
  void follow(const application_asked &c) { keys.changed(c.of, column::pending); }
  void count_of_gang(reservation &r, bool in);
  void may_run(application &app);  // or not any more
  void headroom_changed(queue &q, bool more);
  void doubt_if_no_place(const queue &q);  // for one more application that runs
  void touch_node(uint32_t slot);          // something about it changed, or whether it may be used
};

}  // namespace tenon::internal
