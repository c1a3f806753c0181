// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/preemption.hpp"

#include <algorithm>
#include <utility>

#include "core.hpp"
#include "ledger/victim_room.hpp"
#include "model/gang_reservations.hpp"
#include "queueing/held_off_asks.hpp"
#include "queueing/preemption_times.hpp"
#include "rules/claims.hpp"
#include "rules/placement_checks.hpp"
#include "rules/reservations.hpp"
#include "rules/victim_search.hpp"

namespace tenon::internal {

bool preemption::may_attempt(const ask &a) const { return times.of(a) <= shared.now_ms; }

void preemption::attempted(ask &a) {
  ask_wait::of(a, waits).preempt_from_ms =
      add_saturating(shared.now_ms, std::max<int64_t>(1, config.tuning.preemption_retry_ms));
  held_off.forget(a);
}

bool preemption::try_for(ask &a) {
  if (!may_attempt(a)) return false;
  attempted(a);
  const room_to_make found = find_room(a);
  reservation *held = reservation_of(a);
  if (found.where == nullptr || (found.by_waiting && held != nullptr && held->where == found.where)) {
    if (found.held_off && !found.by_waiting) held_off.add(a);
    return false;
  }
  node &n = *found.where;
  end_others_on(n, a);
  node *left = nullptr;
  if (held != nullptr && held->where != &n) {
    left = held->where;
    reservations.end(*held, {cause::victims_elsewhere, n.id});
  }
  if (reservation_of(a) == nullptr) reservations.reserve(a, n);
  if (!found.by_waiting) {
    reservations.free_by_preemption(a);
    claims.take(search.victims(), {cause::preempted_for_ask, a.key}, &a);
  }
  if (left != nullptr) reservations.reopen(*left);
  return true;
}

void preemption::reserve_for_gang(ask &a, node &n, way_to_room way, const std::vector<allocation *> &victims_there) {
  end_others_on(n, a);
  reservations.reserve_for_gang(a, n, way);
  if (!victims_there.empty()) claims.take(victims_there, {cause::preempted_for_ask, a.key}, &claimant_of(a));
}

void preemption::end_of_gang(application &app, const reason &why) {
  if (reservation_of_gang(app) != nullptr) reservations.end_of_gang(app, why);
}

// The node empties for these.
void preemption::end_others_on(const node &n, const ask &by) {
  for (const std::vector<reservation *> there = *n.reservations; reservation * r : there) {
    if (r->live && !is_for(*r, by)) reservations.lose(*r, {cause::preempted_there, by.key});
  }
}

// An ask whose reservation waited too long waits for what is ending only if nobody gives way.
preemption::room_to_make preemption::find_room(ask &a) {
  room_to_make out;
  const bool waited = has_waited(a);
  if (!waited) out.where = find_ending(a, out.by_waiting);
  if (!out.by_waiting) out.where = find_victims(a, out.held_off);
  if (out.where == nullptr && waited) out.where = find_ending(a, out.by_waiting);
  return out;
}

// The node to reserve for an ask that waits for what is ending. Null: there is none.
node *preemption::find_ending(ask &a, bool &by_waiting) {
  const reservation *held = reservation_of(a);
  for (;;) {
    const ending_room found = search.find_ending(a, classes[a.class_id]);
    by_waiting = found.is_there;
    const bool is_own = held != nullptr && held->where == found.where;
    if (found.where == nullptr || is_own || checks.agrees_to_reserve(a, *found.where)) return found.where;
    if (checks.awaits_answer()) return nullptr;
  }
}

preemption::failed_tries &preemption::failed_now() {
  if (std::exchange(failed_since_, victims.revision()) != victims.revision()) failed_.clear();
  return failed_;
}

// Where nothing changed since an ask alike failed, this one fails too, but for the node that is reserved for it.
// `off`: it fails, and victims on a node that is reserved for another ask would have done.
node *preemption::find_victims(ask &a, bool &off) {
  const ask_class &c = classes[a.class_id];
  const bool rm_checks = checks.may_refuse(a);  // what the RM says is of this ask alone
  const std::pair<const queue *, uint32_t> kind{a.owner->home, a.class_id};
  const auto alike = failed_now().find(kind);
  const bool hopeless = !rm_checks && alike != failed_.end() && alike->second.priority == a.priority &&
                        alike->second.waited == has_waited(a);
  const reservation *held = reservation_of(a);
  if (hopeless && held == nullptr) {
    off = alike->second.held_off;
    return nullptr;
  }
  ++shared.counters.victim_searches;
  for (;;) {
    node *n = search.find(a, c, hopeless ? held->where : nullptr);
    if (n == nullptr) break;
    if (checks.agrees_to_reserve(a, *n)) return n;
    if (checks.awaits_answer()) return nullptr;
  }
  off = search.would_do_but_for_reservations(a, c, held);
  if (checks.remembers(a)) return nullptr;
  const bool by_reservations = off || (held != nullptr && search.would_do_but_for_reservations(a, c, nullptr));
  failed_now().insert_or_assign(kind, failed_try{a.priority, has_waited(a), by_reservations});
  return nullptr;
}

}  // namespace tenon::internal
