// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/gang_room.hpp"

#include <algorithm>
#include <utility>

#include "cycle/reserver.hpp"
#include "cycle/tried_room.hpp"
#include "model/gang_reservations.hpp"
#include "model/gang_start.hpp"
#include "model/may_run.hpp"
#include "model/queue_turns.hpp"
#include "queueing/reserved_line.hpp"
#include "rules/headroom.hpp"
#include "rules/node_search.hpp"
#include "rules/placement_checks.hpp"
#include "rules/preemption.hpp"
#include "rules/victim_search.hpp"

namespace tenon::internal {

bool gang_room::make(const std::vector<ask *> &asks, std::vector<ask *> &tried) {
  ask &by = *asks.front();
  const ask_class all = class_of_gang(*by.owner, classes);
  const bool preempts = preemption.may_attempt(by), empties = reserver.may_reserve_for_gang(by);
  if ((!preempts && !empties) || !reached_amount(*by.owner, all).is_none()) return false;
  tried.push_back(&by);
  checks.begin_look();
  type_index type = no_type;
  way_to_room way = way_to_room::preemption;
  bool found = preempts && victims.has_guarantee_left(by, all) && find_all(asks, way, tried);
  const bool has_room = headroom::full_queue(by, all, type) == nullptr && reserver.crowded_queue(by, all) == nullptr;
  if (!found && empties && may_empty_for(*by.owner) && has_room) {
    way = way_to_room::it_empties;
    found = find_all(asks, way, tried);
  }
  for (ask *a : tried) preemption.attempted(*a);
  const std::vector<seat> seats = std::exchange(seats_, {});
  if (!found) return false;
  preemption.end_of_gang(*by.owner, {cause::victims_elsewhere, seats.front().where->id});
  for (const seat &s : seats) preemption.reserve_for_gang(*s.of, *s.where, way, s.victims);
  return true;
}

void gang_room::use(application &app) { preemption.end_of_gang(app, {cause::reservation_used}); }

// What was tried is undone, and the seats are what was found.
bool gang_room::find_all(const std::vector<ask *> &asks, way_to_room way, std::vector<ask *> &tried) {
  seats_.clear();
  of_gang_.clear();
  to_empty_.clear();
  for (const ask *a : asks) {
    const bool is_new = way == way_to_room::it_empties && !to_empty_.contains(a->class_id);
    if (is_new) to_empty_[a->class_id].nodes = search.nodes_to_empty(classes[a->class_id], *a);
  }
  const application &app = *asks.front()->owner;
  search.open_nodes_of(app, true);
  const bool found = std::all_of(asks.begin(), asks.end(), [&](ask *a) {
    checks.begin_turn();
    for (int32_t left = a->pending(); left > 0; --left) {
      if (!find_one(*a, way, tried)) return false;
    }
    return true;
  });
  room.undo();
  victims.forget_counted();
  search.open_nodes_of(app, false);
  return found;
}

bool gang_room::find_one(ask &a, way_to_room way, std::vector<ask *> &tried) {
  ask_class &c = classes[a.class_id];
  seat s{&a, nullptr, {}};
  const found_node place = victims.is_within_headroom(a, c) ? find_place(a, c) : found_node();
  s.where = place.where;
  if (s.where == nullptr) {
    if (checks.awaits_answer()) return false;
    if (way == way_to_room::it_empties) {
      s.where = find_to_empty(a, c);
    } else {
      find_victims(s, tried);
    }
    if (s.where == nullptr) return false;
  }
  for (const allocation *x : s.victims) room.give(*x);
  victims.count_as_gone(s.victims);
  room.take(*s.where, c, place.chosen);
  victims.count_as_placed(a, c);
  of_gang_[s.where->slot] += c.need;
  seats_.push_back(std::move(s));
  return way != way_to_room::it_empties || of_gang_.size() <= line.most_nodes();
}

// What empties gives nothing back now, so a class that found nothing once finds nothing later.
found_node gang_room::find_place(ask &a, ask_class &c) {
  const auto emptying = to_empty_.find(a.class_id);
  if (emptying != to_empty_.end() && emptying->second.nothing_is_free) return {};
  bool refused = false;
  const found_node found = search.find(c, a, refused);
  if (!found) {
    if (emptying != to_empty_.end()) emptying->second.nothing_is_free = !refused;
    return {};
  }
  const std::vector<reservation *> &there = found.where->reservations;
  const bool is_own = std::all_of(there.begin(), there.end(), [&](const reservation *r) { return is_for(*r, a); });
  return is_own && checks.agrees_to_reserve(a, *found.where) ? found : found_node();
}

void gang_room::find_victims(seat &s, std::vector<ask *> &tried) {
  if (!preemption.may_attempt(*s.of)) return;
  if (std::find(tried.begin(), tried.end(), s.of) == tried.end()) tried.push_back(s.of);
  const preemption::room_to_make found = preemption.find_room(*s.of);
  s.where = found.where;
  if (found.where != nullptr && !found.by_waiting) s.victims = victims.victims();
}

// Each is filled before the next one is begun.
node *gang_room::find_to_empty(ask &a, ask_class &c) {
  nodes_in_order &all = to_empty_.at(a.class_id);
  for (size_t i = all.next; i < all.nodes.size(); ++i) {
    node &n = *all.nodes[i];
    const bool is_full = !holds_beside_gang(n, c);
    if (is_full && i == all.next) ++all.next;
    if (is_full) continue;
    if (checks.agrees_to_reserve(a, n)) return &n;
    if (checks.awaits_answer()) break;
  }
  return nullptr;
}

bool gang_room::holds_beside_gang(const node &n, const ask_class &c) const {
  const auto there = of_gang_.find(n.slot);
  return there == of_gang_.end() || std::all_of(c.positive.begin(), c.positive.end(), [&](const class_amount &p) {
           return add_saturating(there->second[p.type], p.amount) <=
                  sub_saturating(n.capacity[p.type], n.occupied[p.type]);
         });
}

}  // namespace tenon::internal
