// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Allocations: made, counted, resized, ended and undone.
#include <algorithm>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

std::vector<allocation *> partition::by_sequence(std::vector<allocation *> list) {
  std::sort(list.begin(), list.end(),
            [](const allocation *x, const allocation *y) { return x->sequence < y->sequence; });
  return list;
}

allocation_terms partition::terms_of(const ask &a) const {
  return {a.class_id,         a.priority, a.placeholder,    a.originator,          a.preempt_self,
          requires_a_node(a), a.gang,     a.create_time_ms, a.execution_timeout_ms};
}

allocation &partition::place_on(ask &a, node &n, const allocation_terms &terms, int64_t bind_time_ms,
                                std::string_view detail, allocation_event how) {
  allocation &x = make_allocation(a, n, terms, bind_time_ms);
  apply(allocation_made{x, how});
  count_allocation(x, detail);
  return x;
}

// Counted nowhere so far.
allocation &partition::make_allocation(ask &a, node &n, const allocation_terms &terms, int64_t bind_time_ms) {
  allocation &x = allocations.create();
  x.owner = a.owner;
  x.where = &n;
  x.from = &a;
  x.sequence = next_allocation++;
  x.class_id = terms.class_id;
  x.placeholder = terms.placeholder;
  x.originator = terms.originator;
  x.preempt_self = terms.preempt_self;
  x.bound = terms.bound;
  x.priority = terms.priority;
  x.create_time_ms = terms.create_time_ms;
  x.bind_time_ms = bind_time_ms;
  x.gang = terms.gang;
  return x;
}

// In everything but its ask. `detail`: the devices that are known already.
void partition::count_allocation(allocation &x, std::string_view detail) {
  application &app = *x.owner;
  node &n = *x.where;
  const ask_class &c = classes[x.class_id];
  if (app.place != limit_place::taken) limits.enter(app, x.state == allocation_state::proposed);
  x.app_slot = static_cast<uint32_t>(app.allocations.size());
  app.allocations.push_back(&x);
  x.node_slot = static_cast<uint32_t>(n.allocations.size());
  n.allocations.push_back(&x);
  x.from->allocations.push_back(&x);
  ++allocation_count;
  apply(room_taken{n, c});
  if (n.divided || !detail.empty()) holdings.assign(x.devices, n, c, detail, true);
  apply(application_used{app, x.placeholder, c.need, 1});
  const resources &own = app.used(x.placeholder);
  for (const class_amount &p : c.positive) app.past.raise(p.type, own[p.type]);
  apply(queue_used{*app.home, c.need, 1});
  limits.add_usage(app, c.need, 1);
  if (x.placeholder) gangs.hold(x);
  if (facts.listened()) facts.tell(fact_kind::allocation_added, x);
}

// To the RM; its execution timer runs from now on.
void partition::announce(const allocation &x, const allocation_terms &terms, bool existing) {
  decisions.emit(decided::allocated{existing, held_devices_of.text_of(x.devices)}, x);
  if (terms.execution_timeout_ms <= 0) return;
  const int64_t ends_ms = add_saturating(x.bind_time_ms, terms.execution_timeout_ms);
  ends_at.emplace(x.sequence, ends_ms);
  shared.timers.arm(std::max(shared.now_ms, ends_ms), timer_kind::allocation_execution, id, x.index, x.sequence);
}

void partition::commit(ask &a, node &n) {
  if (check_deadline_ms > 0) return proposals.propose(a, n);
  const allocation_terms terms = terms_of(a);
  node *kept = reservations.use(a);
  const allocation &x = place_on(a, n, terms, shared.now_ms);
  count_placed(a);
  announce(x, terms);
  after_placing(*a.owner, x);
  if (kept != nullptr) reservations.reopen(*kept);
}

// One of what is pending is not any more.
void partition::count_placed(ask &a) {
  add_pending_of(a, -1);
  apply(ask_placed{a, 1});
  a.told = container_word::none;
  if (a.told_over != 0) facts.tell_fits(a);
  if (a.pending() != 0) {
    apply(ask_moved{a, ask_event::place});
    if (a.line == ask_line::none) lines.enqueue(a);
    return;
  }
  apply(ask_moved{a, ask_event::place_last});
  lines.dequeue(a);
}

// The state that a new allocation brings its application to.
void partition::after_placing(application &app, const allocation &x) {
  if (app.state == application_state::running) return;
  if (!x.placeholder) {
    if (app.state != application_state::resuming) run(app, messages::allocation_added());
    return;
  }
  if (app.state == application_state::accepted) {
    count_up(app, true);
    const bool held = app.held();
    ready.stop_waiting(app);
    if (app.eligible()) ready.let_go(app);
    if (held) reservations.refresh(app);
    if (x.bind_time_ms < app.first_bind_ms) {
      app.first_bind_ms = x.bind_time_ms;
      placeholder_timers.arm(app, x.bind_time_ms);
    }
  }
  const auto all_placed = [&] {
    if (app.proposals.empty()) return app.placeholders == app.placeholder_ask;
    resources placed = app.placeholders;
    for (const proposal &p : app.proposals) {
      if (p.is_placeholder()) placed -= classes[p.made->class_id].need;
    }
    placed.prune();
    return placed == app.placeholder_ask;
  };
  if (app.state == application_state::completing) return run(app, messages::allocation_added());
  if (app.state != application_state::accepted) return;
  if (!all_placed()) return replacements.run_short_gang(app);
  run(app, messages::gang_complete());
}

// It ends by the event. `keeps_ask`: who calls looks after the ask, which stays even where nothing of it is left.
void partition::remove_allocation(allocation &a, allocation_event how, bool keeps_ask) {
  const bool node_gone = how == allocation_event::node_removed;
  application &app = *a.owner;
  if (facts.listened()) facts.tell(fact_kind::allocation_removed, a, node_gone);
  if (a.placeholder) gangs.let_go(a);
  const resources &need = classes[a.class_id].need;
  app.allocations[a.app_slot] = app.allocations.back();
  app.allocations[a.app_slot]->app_slot = a.app_slot;
  app.allocations.pop_back();
  a.from->allocations.erase(std::find(a.from->allocations.begin(), a.from->allocations.end(), &a));
  node &n = *a.where;
  n.allocations[a.node_slot] = n.allocations.back();
  n.allocations[a.node_slot]->node_slot = a.node_slot;
  n.allocations.pop_back();
  --allocation_count;
  if (a.state != allocation_state::proposed) count_past_use(a);
  apply(application_used{app, a.placeholder, need, -1});
  apply(room_given{n, need});
  holdings.free(a.devices, node_gone ? nullptr : &n);
  allocations.retire(a);
  limits.add_usage(app, need, -1);
  apply(queue_used{*app.home, need, -1});
  if (!node_gone && a.state != allocation_state::proposed) checks.forget_on(n);
  if (!node_gone) apply(node_changed{n});
  if (!keeps_ask) forget_if_done(*a.from);
  ends_at.erase(a.sequence);
  if (a.state == allocation_state::preempting) preemption.victim_gone(a);
  apply(allocation_ended{a, how});
}

// An allocation that is counted no more: what it used is.
void partition::count_past_use(const allocation &a) {
  static const std::string unknown = "UNKNOWN";
  const bool preempted = a.state == allocation_state::preempting;
  const auto what = preempted       ? past_use_kind::preempted
                    : a.placeholder ? past_use_kind::placeholder
                                    : past_use_kind::used;
  const node &n = *a.where;
  a.owner->past.add(what, n.instance_type == nullptr ? unknown : *n.instance_type, classes[a.class_id].need,
                    sub_saturating(shared.now_ms, a.bind_time_ms));
}

void partition::resize(allocation &a, const resources &need, std::string_view detail) {
  application &app = *a.owner;
  const uint32_t before_id = a.class_id;
  const resources before = classes[before_id].need;
  if (before == need && (detail.empty() || detail == held_devices_of.text_of(a.devices))) return;
  a.class_id = plain_class(need).id;
  apply(allocation_resized{a});
  if (facts.listened() && before != need) {
    facts.tell(fact_kind::allocation_resized, a, false, &before);
  }
  holdings.resize(a, detail);
  apply(application_resized{app, a.placeholder, before, need});
  app.past.raise(app.used(a.placeholder));
  if (a.state == allocation_state::preempting) {
    apply(queue_preempting{*app.home, need, 1});
    apply(queue_preempting{*app.home, before, -1});
  }
  if (a.placeholder && a.state == allocation_state::allocated && a.offered == nullptr) {
    gangs.resized(a, before_id);
  }
  apply(room_resized{*a.where, before, need});
  limits.add_usage(app, need, 1);
  limits.add_usage(app, before, -1);
  apply(queue_used{*app.home, need, 1});
  apply(queue_used{*app.home, before, -1});
  checks.forget_on(*a.where);
  apply(node_changed{*a.where});
}

void partition::move(allocation &a, allocation_event event) {
  proposals.undo_offer(a);
  const bool leaves = a.placeholder && a.state == allocation_state::allocated;
  if (leaves) gangs.leave_allocated(a);
  apply(allocation_moved{a, event});
}

void partition::expire(allocation &a, const reason &why) {
  move(a, allocation_event::timeout);
  decisions.emit_released(a, termination::timeout, why);
}

void partition::expire_all(application &app, const reason &why, bool only_placeholders) {
  for (allocation *a : by_sequence(app.allocations)) {
    if (a->state != allocation_state::allocated || (only_placeholders && !a->placeholder)) continue;
    expire(*a, why);
  }
}

void partition::undo(allocation &a) {
  ask &of = *a.from;
  const bool ends = of.state == ask_state::released || of.owner->state == application_state::failing;
  if (ends) return remove_allocation(a, allocation_event::undo);
  remove_allocation(a, allocation_event::undo, true);
  if (unplace(of) && a.placeholder) --a.gang->timed_out;  // it did not end
  forget_if_done(of);
}

// One of it is placed less. True: it is pending again.
bool partition::unplace(ask &a) {
  if (a.state == ask_state::released) return false;
  const int32_t before = a.pending();
  apply(ask_placed{a, -1});
  if (a.pending() == 0) return false;
  apply(ask_moved{a, ask_event::undo});
  a.told = container_word::none;
  add_pending_of(a, a.pending() - before);
  if (before == 0) lines.enqueue(a);
  return a.pending() > before;
}

}  // namespace tenon::internal
