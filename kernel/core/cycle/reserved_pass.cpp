// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/reserved_pass.hpp"

#include <utility>

#include "cycle/placer.hpp"
#include "model/may_run.hpp"
#include "model/queue_properties.hpp"
#include "queueing/ask_lines.hpp"
#include "queueing/ready_index.hpp"
#include "queueing/reserved_line.hpp"
#include "rules/headroom.hpp"
#include "rules/placement_checks.hpp"
#include "rules/preemption.hpp"
#include "rules/required_node_preemption.hpp"
#include "rules/reservations.hpp"

namespace tenon::internal {

bool reserved_pass::has_work() const { return !line.empty() || line.has_doubtful(); }

void reserved_pass::end_idle() {
  while (line.has_doubtful()) {
    reservation &r = line.take_doubtful();
    if (!may_run(r)) reservations.unreserve(r, {cause::may_not_run});
  }
}

bool reserved_pass::may_run(const reservation &r) const {
  const application &app = *r.of->owner;
  return !in_stopped_queue(app) && full_queue_of(app) == nullptr && full_limit_of(app) == nullptr &&
         headroom.may_come_to_fit(*r.of, *r.unit->shape);
}

bool reserved_pass::decide() {
  while (!line.empty()) {
    if (try_one(line.first())) return true;
  }
  return false;
}

// A look that fails leaves less to look at.
bool reserved_pass::try_one(reservation &r) {
  ask &a = *r.of;
  ask_class &c = *r.unit->shape;
  checks.begin_turn();
  type_index type = no_type;
  const bool full = headroom.full_queue(a, c, type) != nullptr;
  bool refused = false;
  if (!full && place(r, refused)) return true;
  if (r.stands_aside) return false;
  if (c.required_node.empty() && preemption.try_for(a)) return true;
  if (full) line.wait_for_headroom(r);
  line.tried(r, refused);
  return false;
}

void reserved_pass::line_up_by_order() {
  are_in_order_ = true;
  for (reservation *r : by_order_) {
    r->by_order = true;
    lines.dequeue(*r->of);
    lines.enqueue(*r->of);
    reservations.reopen(*r->where);
    for (queue *q = r->of->owner->home; q != nullptr; q = q->parent) q->by_order.push_back(r->of);
    ready.let_go_before(*r->of);
  }
}

bool reserved_pass::place_left_over() {
  for (reservation *r : by_order_) {
    ask &a = *r->of;
    if (!r->by_order || a.line == ask_line::refused || waits_in_order(*r)) continue;
    checks.begin_turn();
    bool refused = false;
    if (placer.place_on(*r->where, a, classes[a.class_id], refused)) return true;
  }
  return false;
}

// Where nothing was decided, the resource manager refused what is left.
void reserved_pass::settle_by_order(bool made) {
  for (reservation *r : std::exchange(by_order_, {})) {
    if (!std::exchange(r->stands_aside, false)) continue;
    r->by_order = false;
    for (queue *q = r->of->owner->home; q != nullptr; q = q->parent) q->by_order.clear();
    if (are_in_order_) {
      lines.dequeue(*r->of);
      lines.enqueue(*r->of);
      reservations.reopen(*r->where);
    }
    if (made) {
      line.refresh(*r);
    } else {
      line.tried(*r, true);
    }
  }
  are_in_order_ = false;
}

// Within all headroom.
bool reserved_pass::place(reservation &r, bool &refused) {
  ask &a = *r.of;
  ask_class &c = *r.unit->shape;
  if (r.refused) return false;
  if (r.look) {
    node &own = *r.where;
    const bool by_order = r.way != way_to_room::as_it_comes || waits_in_order(r);
    if (by_order && a.wait->victims->empty()) {
      if (placer.suits(own, a, c, refused)) {
        let_stand_aside(r);
        return false;
      }
    } else if (place_on_own(r, refused)) {
      return true;
    }
    r.look = false;
    if (c.requires_a_node()) {
      refused |= checks.has_refused(a, own);  // nobody gives way for what the RM does not let run there
      if (!refused) on_node.line_up(r);
      return false;
    }
  }
  if (c.requires_a_node()) return false;
  if (!waits_in_order(r)) return placer.place(a, c, refused);
  if (!c.blocked && placer.find(a, c, refused)) let_stand_aside(r);
  return false;
}

bool reserved_pass::waits_in_order(const reservation &r) const {
  return r.way != way_to_room::preemption && !classes[r.of->class_id].requires_a_node() &&
         keeps_order_after_ms(*r.of->owner->home, config.tuning).has_value();
}

void reserved_pass::let_stand_aside(reservation &r) {
  r.stands_aside = true;
  by_order_.push_back(&r);
  line.refresh(r);
}

// Of several asks that require the node the one of the highest priority that it has room for.
bool reserved_pass::place_on_own(reservation &r, bool &refused) {
  node &own = *r.where;
  if (!placer.suits(own, *r.of, *r.unit->shape, refused)) return false;
  const reservation *best = &r;
  for (const reservation *other : *own.reservations) {
    if (other->unit == nullptr || other->of->priority <= best->of->priority) continue;
    type_index type = no_type;
    bool disagrees = false;
    checks.begin_look();
    const bool within = headroom.full_queue(*other->of, *other->unit->shape, type) == nullptr;
    if (within && placer.suits(own, *other->of, *other->unit->shape, disagrees)) best = other;
  }
  placer.commit(*best->of, own, {});
  return true;
}

}  // namespace tenon::internal
