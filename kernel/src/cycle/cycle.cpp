// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/cycle.hpp"

#include <algorithm>

#include "partition.hpp"

namespace tenon::internal {

bool cycle::has_work() const {
  return !p_.paused && p_.state != object_state::stopped &&
         (p_.reservations.has_work() || p_.gangs.has_work() || !p_.ready.empty() || p_.keys.has_stale());
}

bool cycle::decide() {
  if (p_.paused || p_.state == object_state::stopped) return false;
  if (!p_.shared.told.empty()) p_.faults.fail_as_told();
  p_.keys.begin_periods(p_.shared.now_ms);
  return p_.reservations.decide() || p_.gangs.decide() || decide_ask();
}

bool cycle::decide_ask() {
  if (p_.fair_max_stale) {
    p_.fair_max_stale = false;
    p_.refresh_fair_max(*p_.root);
  }
  p_.keys.flush_stale();
  while (leaf_class *u = p_.ready.next()) {
    if (try_unit(*u)) return true;
  }
  return false;
}

bool cycle::try_unit(leaf_class &u) {
  app_class &g = *u.ready.top();
  application &app = *g.owner;
  ask &a = *g.first();
  ask_class &c = p_.classes[u.class_id];
  ++p_.shared.counters.asks_examined;
  p_.checks.begin_look();
  if (p_.ready.hold_back(app)) return false;
  type_index type = no_type;
  if (usage_node *full = p_.limits.blocking(app, c, type); full != nullptr) {
    p_.ready.park_on_limit(g, *full, type);
    return false;
  }
  queue *full = p_.blocking_queue(*u.leaf, c, type);
  bool refused = false;
  if (!c.required_node.empty()) {
    if (full == nullptr && p_.reservations.try_required(a, c, refused)) return true;
  } else {
    if (full == nullptr && !c.blocked) {
      if (node *n = search(c, a, refused); n != nullptr) {
        p_.commit(a, *n);
        return true;
      }
      if (!refused) p_.ready.block(c);
    }
    if (a.preempt_other && p_.preemption.try_for(a)) return true;
    if (full == nullptr && p_.reservations.try_to_reserve(a, c, refused)) return true;
  }
  if (refused) {  // nodes would do, the RM wants none of them: only this ask waits
    p_.lines.set_aside(a);
  } else if (u.kind == unit_kind::urgent) {
    p_.lines.move_to(a, p_.alarms.kind_for(a));
  } else if (full != nullptr) {
    p_.ready.park_on_queue(u, *full, type);
  } else {
    p_.ready.park_on_nodes(u, u.kind == unit_kind::mature && p_.config.tuning.reservation_enabled);
  }
  return false;
}

node *cycle::search(ask_class &c, ask &a, bool &refused) {
  ++p_.shared.counters.node_searches;
  const auto will_do = [&](node &n) {
    if (!n.reservations.empty() && !p_.reservations.may_use(a, c, n)) return false;
    if (!p_.verdicts.passes(c, n.slot)) return false;
    const bool ok = p_.checks.agrees(a, n, true);
    refused |= !ok;
    return ok;
  };
  if (!c.required_node.empty()) {
    node *n = p_.nodes.find(c.required_node);
    if (n == nullptr) return nullptr;
    ++p_.shared.counters.nodes_examined;
    return p_.nodes.holds(c, n->slot) && will_do(*n) ? n : nullptr;
  }
  node_order *by = p_.order_for(c, *a.owner);
  if (by == nullptr) return nullptr;
  reservation *own = reservation_of(a);
  if (own != nullptr && p_.nodes.usable(own->where->slot)) {
    p_.nodes.close(own->where->slot, false);
    by->opened(own->where->slot);
  }
  const uint32_t slot = by->first_fit(c, p_.shared.counters.nodes_examined,
                                      [&](uint32_t candidate) { return will_do(*p_.nodes.at(candidate)); });
  if (own != nullptr) p_.nodes.close(own->where->slot, p_.reservations.keeps_others_out(*own->where));
  return slot == node_order::no_slot ? nullptr : p_.nodes.at(slot);
}

}  // namespace tenon::internal
