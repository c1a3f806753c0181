// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/gang_room.hpp"

#include <algorithm>
#include <utility>

#include "cycle/tried_room.hpp"
#include "model/gang_reservations.hpp"
#include "model/gang_start.hpp"
#include "model/may_run.hpp"
#include "model/victims.hpp"
#include "rules/headroom.hpp"
#include "rules/node_search.hpp"
#include "rules/placement_checks.hpp"
#include "rules/preemption.hpp"
#include "rules/reservations.hpp"
#include "rules/victim_search.hpp"

namespace tenon::internal {

bool gang_room::make(const std::vector<ask *> &asks, std::vector<ask *> &tried) {
  ask &by = *asks.front();
  const application &app = *by.owner;
  const ask_class all = class_of_gang(app, classes);
  if (!preemption.may_attempt(by) || !reached_amount(app, all).is_none()) return false;
  tried.push_back(&by);
  checks.begin_look();
  const bool found = victims.has_guarantee_left(by, all) && find_all(asks, tried);
  room.undo();
  victims.forget_counted();
  for (ask *a : tried) preemption.attempted(*a);
  const std::vector<seat> seats = std::exchange(seats_, {});
  if (!found) return false;
  for (const seat &s : seats) preemption.reserve_for_gang(*s.of, *s.where, s.victims);
  return true;
}

bool gang_room::find_all(const std::vector<ask *> &asks, std::vector<ask *> &tried) {
  return std::all_of(asks.begin(), asks.end(), [&](ask *a) {
    checks.begin_turn();
    for (int32_t left = a->pending(); left > 0; --left) {
      if (!find_one(*a, tried)) return false;
    }
    return true;
  });
}

bool gang_room::find_one(ask &a, std::vector<ask *> &tried) {
  ask_class &c = classes[a.class_id];
  seat s{&a, nullptr, {}};
  const found_node place = victims.is_within_headroom(a, c) ? find_place(a, c) : found_node();
  s.where = place.where;
  if (s.where == nullptr) {
    if (checks.awaits_answer() || !preemption.may_attempt(a)) return false;
    if (std::find(tried.begin(), tried.end(), &a) == tried.end()) tried.push_back(&a);
    const preemption::room_to_make found = preemption.find_room(a);
    if (found.where == nullptr) return false;
    s.where = found.where;
    if (!found.by_waiting) s.victims = victims.victims();
  }
  for (const allocation *x : s.victims) room.give(*x);
  victims.count_as_gone(s.victims);
  room.take(*s.where, c, place.chosen);
  victims.count_as_placed(a, c);
  seats_.push_back(std::move(s));
  return true;
}

found_node gang_room::find_place(ask &a, ask_class &c) {
  bool refused = false;
  const found_node found = search.find(c, a, refused);
  const bool will_do = found && found.where->reservations->empty() && checks.agrees_to_reserve(a, *found.where);
  return will_do ? found : found_node();
}

}  // namespace tenon::internal
