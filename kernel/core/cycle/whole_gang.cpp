// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/whole_gang.hpp"

#include <algorithm>
#include <utility>

#include "cycle/gang_room.hpp"
#include "cycle/placer.hpp"
#include "cycle/tried_room.hpp"
#include "model/gang_reservations.hpp"
#include "model/gang_start.hpp"
#include "model/node_table.hpp"
#include "model/queue_properties.hpp"
#include "queueing/ask_lines.hpp"
#include "queueing/kept_orders.hpp"
#include "queueing/node_fitness.hpp"
#include "queueing/ready_index.hpp"
#include "rules/headroom.hpp"
#include "rules/node_search.hpp"
#include "rules/placement_checks.hpp"

namespace tenon::internal {

std::vector<ask *> whole_gang::pending_of(const application &app) {
  std::vector<ask *> out;
  for (ask *a : app.asks) {
    if (a->placeholder && a->pending() > 0) out.push_back(a);
  }
  std::sort(out.begin(), out.end(), [](const ask *x, const ask *y) { return tried_before(*x, *y); });
  return out;
}

bool whole_gang::begin(application &app) {
  const std::vector<ask *> asks = pending_of(app);
  const bool is_reserved = reservation_of_gang(app) != nullptr;
  resources taken;
  ask *without_place = nullptr;
  if (is_reserved) search.open_nodes_of(app, true);
  const bool has_come = gang_has_come(app, classes);
  const bool whole = has_come && may_fit(app, *asks.front()) && std::all_of(asks.begin(), asks.end(), [&](ask *a) {
                       checks.begin_turn();
                       ask_class &c = classes[a->class_id];
                       for (int32_t left = a->pending(); left > 0; --left) {
                         if (is_full(*a, c, taken)) return false;
                         if (!try_one(*a, c)) {
                           without_place = a;
                           return false;
                         }
                         taken += c.need;
                       }
                       return true;
                     });
  room.undo();
  if (is_reserved) search.open_nodes_of(app, false);
  const bool fits_elsewhere = without_place != nullptr && fits_without_them(classes[without_place->class_id]);
  const std::vector<place> places = std::exchange(places_, {});
  if (whole) {
    gang_room.use(app);
    for (const place &p : places) placer.commit(*p.of, *p.where, p.chosen);
    return true;
  }
  std::vector<ask *> tried;
  const bool may_make_room = has_come && !is_freed_for_gang(app) && counts_as_one(app, classes);
  if (may_make_room && gang_room.make(asks, tried)) {
    lines.line_up_gang(app);
    return true;
  }
  wait(app, asks, tried, fits_elsewhere);
  return false;
}

bool whole_gang::fits_without_them(const ask_class &c) const {
  return std::any_of(places_.begin(), places_.end(),
                     [&](const place &p) { return p.of->class_id != c.id && fitness.may_fit_now(*p.where, c); });
}

// Returns false if the whole of it exceeds a limit or the headroom of a queue, so that no node need be looked for.
bool whole_gang::may_fit(const application &app, const ask &front) const {
  if (!counts_as_one(app, classes)) return true;
  const ask_class all = class_of_gang(app, classes);
  type_index type = no_type;
  return reached_amount(app, all).is_none() && headroom::full_queue(front, all, type) == nullptr;
}

// The first queue on its path, or the root for all nodes together, that has less left than all of the gang needs.
queue *whole_gang::lacking_queue(const application &app, const ask_class &all, type_index &type) const {
  for (queue *q = app.home; q != nullptr; q = q->parent) {
    for (const class_amount &p : all.positive) {
      type = p.type;
      if (p.amount > ready.headroom_in(*q, type)) return q;
    }
  }
  return nullptr;
}

// A gang waits until a queue, or all nodes together, have enough for all of it, or else for any change. One whose user
// or group lacks headroom, or for which nodes are reserved, waits for any change, too.
void whole_gang::wait(application &app, const std::vector<ask *> &asks, const std::vector<ask *> &tried,
                      bool fits_elsewhere) {
  ask &front = *asks.front();
  const ask_class all = class_of_gang(app, classes);
  const bool is_counted =
      counts_as_one(app, classes) && !is_held_with_gang(front) && reached_amount(app, all).is_none();
  type_index type = no_type;
  queue *full = is_counted ? lacking_queue(app, all, type) : nullptr;
  const bool lacks_headroom = full != nullptr && full->parent != nullptr;
  const bool may_be_first = lacks_headroom && gang_has_come(app, classes) && !may_fit(app, front);
  orders.forget(front);
  ready.forget_gang(app);
  if (may_be_first && orders.look_before(front)) return;
  for (ask *a : asks) {
    const bool is_tried = std::find(tried.begin(), tried.end(), a) != tried.end();
    if (reservation_of(*a) != nullptr || (!is_tried && a->line != ask_line::run)) continue;
    full != nullptr ? lines.wait_as_refused(*a) : lines.move_to_refused(*a);
  }
  if (full != nullptr) {
    ready.park_gang(app, *full, type, all.need[type]);
  } else if (fits_elsewhere) {
    ready.park_gang_on_places(app);
  }
  if (may_be_first) {
    orders.wait_first(front, *app.whole_gang);
  } else {
    watch(app);
  }
}

void whole_gang::watch(const application &app) {
  ask *front = waits_to_begin(app, classes) && gang_has_come(app, classes) ? front_of_gang(app) : nullptr;
  if (front == nullptr || front->line != ask_line::refused || is_held_with_gang(*front)) return;
  if (!counts_as_one(app, classes)) return;
  const ask_class all = class_of_gang(app, classes);
  type_index type = no_type;
  const queue *lacking = lacking_queue(app, all, type);
  const bool has_headroom = lacking == nullptr || lacking->parent == nullptr;
  if (has_headroom && reached_amount(app, all).is_none()) orders.watch(*front, all.positive);
}

std::vector<const ask *> whole_gang::without_place(const std::vector<ask *> &asks) {
  std::vector<const ask *> out;
  uint32_t full_for = no_class;  // the places before only leave less
  for (ask *a : asks) {
    ask_class &c = classes[a->class_id];
    int32_t left = c.id == full_for ? 0 : a->pending();
    while (left > 0 && try_one(*a, c)) --left;
    if (left == 0 && c.id != full_for) continue;
    out.push_back(a);
    full_for = c.id;
  }
  room.undo();
  places_.clear();
  return out;
}

bool whole_gang::try_one(ask &a, ask_class &c) {
  const found_node found = find(a, c);
  if (!found) return false;
  room.take(*found.where, c, found.chosen);
  places_.push_back({&a, found.where, found.chosen});
  return true;
}

// What the placeholders before it take counts for the same queues, user and group.
bool whole_gang::is_full(const ask &a, const ask_class &c, const resources &taken) const {
  ask_class with_others;
  with_others.required_node = c.required_node;
  for (const class_amount &p : c.positive) {
    with_others.positive.push_back({p.type, p.coarse, p.amount + taken[p.type]});
  }
  type_index type = no_type;
  return !reached_amount(*a.owner, with_others).is_none() || headroom::full_queue(a, with_others, type) != nullptr;
}

found_node whole_gang::find(ask &a, ask_class &c) {
  bool disagrees = false;
  if (!c.requires_a_node()) return search.find(c, a, disagrees);
  node *n = nodes.find(c.required_node);
  const auto kept = [&](const reservation *r) { return classes[r->of->class_id].requires_a_node(); };
  const bool fits = n != nullptr && fitness.fits_now(*n, c) &&
                    std::none_of(n->reservations->begin(), n->reservations->end(), kept) && checks.agrees(a, *n, true);
  return {fits ? n : nullptr};
}

}  // namespace tenon::internal
