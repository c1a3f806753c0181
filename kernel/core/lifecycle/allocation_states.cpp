// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "lifecycle/allocation_states.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core.hpp"
#include "ledger/device_holdings.hpp"
#include "lifecycle/ask_classifier.hpp"
#include "lifecycle/resource_intake.hpp"
#include "queueing/ask_lines.hpp"
#include "queueing/change_dispatcher.hpp"
#include "rules/claims.hpp"
#include "rules/gangs.hpp"
#include "rules/limits.hpp"
#include "rules/open_proposals.hpp"
#include "rules/placement_checks.hpp"
#include "rules/proposals.hpp"
#include "rules/proposer.hpp"
#include "rules/reservations.hpp"

namespace tenon::internal {

// -- Made. --

void allocation_states::commit(ask &a, node &n, const held_devices &chosen) {
  if (proposed.are_made()) return proposer.propose(a, n, chosen);
  const allocation_terms terms = terms_of(a);
  node *kept = reservations.use(a);
  const allocation &x = place_on(a, n, terms, {{}, chosen}, allocation_event::allocate);
  count_placed(a);
  announce(x, terms);
  applications.after_placing(*a.owner, x);
  if (kept != nullptr) reservations.reopen(*kept);
}

allocation_terms allocation_states::terms_of(const ask &a) const {
  return {a.class_id,   a.priority,       a.placeholder,
          a.originator, a.preempt_self,   classes[a.class_id].requires_a_node(),
          a.gang,       a.create_time_ms, a.execution_timeout_ms()};
}

allocation &allocation_states::place_on(ask &a, node &n, const allocation_terms &terms, const settled_devices &devices,
                                        allocation_event how) {
  allocation &x = make_allocation(a, n, terms, clock.now_ms());
  changes.apply(allocation_made{x, how});
  count_allocation(x, devices);
  return x;
}

allocation &allocation_states::place_existing(ask &a, node &n, const allocation_terms &terms, std::string_view detail,
                                              int64_t bind_time_ms) {
  allocation &x = place_on(a, n, terms, {detail}, allocation_event::allocate);
  if (bind_time_ms != 0) x.bind_time_ms = std::min(bind_time_ms, clock.now_ms());
  return x;
}

// Counted nowhere so far.
allocation &allocation_states::make_allocation(ask &a, node &n, const allocation_terms &terms, int64_t bind_time_ms) {
  allocation &x = allocations.create();
  x.owner = a.owner;
  x.where = &n;
  x.from = &a;
  x.sequence = next_++;
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

// In everything but its ask.
void allocation_states::count_allocation(allocation &x, const settled_devices &devices) {
  application &app = *x.owner;
  node &n = *x.where;
  const ask_class &c = classes[x.class_id];
  if (app.place != limit_place::taken) limits.enter(app, x.state == allocation_state::proposed);
  app.allocations.insert(&x);
  x.node_slot = static_cast<uint32_t>(n.allocations.size());
  n.allocations.push_back(&x);
  x.from->allocations.insert(&x);
  ++count_;
  changes.apply(room_taken{n, c});
  if (n.divided || !devices.detail.empty()) holdings.assign(x.devices, n, c, devices, true);
  changes.apply(application_used{app, x.placeholder, c.need, 1});
  const resources &own = app.used(x.placeholder);
  for (const class_amount &p : c.positive) app.past.raise(p.type, own[p.type]);
  changes.apply(queue_used{*app.home, c.need, 1});
  changes.apply(limit_used{app, c.need, 1});
  if (x.gang != nullptr && !is_ending(x)) ++x.gang->members;
  if (x.placeholder) {
    gangs.hold(x);
  } else if (x.gang != nullptr && x.gang->members == 1) {
    lines.wake_gang(app);  // it has begun elsewhere
  }
}

// To the RM; its execution timer runs from now on.
void allocation_states::announce(const allocation &x, const allocation_terms &terms, bool existing) {
  changes.apply(allocation_announced{x, existing});
  if (terms.execution_timeout_ms <= 0) return;
  const int64_t ends_ms = add_saturating(x.bind_time_ms, terms.execution_timeout_ms);
  ends_at_.emplace(x.sequence, ends_ms);
  clock.arm(std::max(clock.now_ms(), ends_ms), timer_kind::allocation_execution, x.index, x.sequence);
}

void allocation_states::resize(allocation &a, const resources &need, std::string_view detail) {
  application &app = *a.owner;
  const uint32_t before_id = a.class_id;
  const resources before = classes[before_id].need;
  if (before == need && (detail.empty() || detail == held_devices_of.text_of(a.devices))) return;
  changes.apply(allocation_resized{a, classifier.plain_class(need).id, before});
  holdings.resize(a, detail);
  changes.apply(application_resized{app, a.placeholder, before, need});
  app.past.raise(app.used(a.placeholder));
  const resource_change change = change_between(before, need);
  const auto apply_change = [&](const auto &add) {
    if (!change.more.empty()) add(change.more, 1);
    if (!change.less.empty()) add(change.less, -1);
  };
  if (is_ending(a)) {
    apply_change([&](const resources &by, int sign) { changes.apply(queue_ending{*app.home, by, a.state, sign}); });
  }
  if (a.state == allocation_state::preempting) claims.victim_resized(a);
  if (a.placeholder && a.state == allocation_state::allocated && a.offered == nullptr) {
    gangs.resized(a, before_id);
  }
  changes.apply(room_resized{*a.where, before, need});
  apply_change([&](const resources &by, int sign) { changes.apply(limit_used{app, by, sign}); });
  apply_change([&](const resources &by, int sign) { changes.apply(queue_used{*app.home, by, sign}); });
  changes.apply(node_changed{*a.where});
}

allocation &allocation_states::copy(uint64_t sequence, int64_t bind_time_ms, allocation_state state, ask &a, node &n,
                                    const allocation_terms &terms, std::string_view detail) {
  next_ = sequence;
  allocation &out = make_allocation(a, n, terms, bind_time_ms);
  ledger::set(out.state, state);
  count_allocation(out, {detail});
  if (is_ending(out)) changes.apply(queue_ending{*out.owner->home, classes[out.class_id].need, state, 1});
  return out;
}

// -- Gone, or on its way out. --

void allocation_states::move(allocation &a, allocation_event event, const reason *why) {
  proposals.undo_offer(a);
  const bool leaves = a.placeholder && a.state == allocation_state::allocated;
  if (leaves) gangs.leave_allocated(a);
  const bool counts = a.gang != nullptr && !is_ending(a);
  changes.apply(allocation_moved{a, event, why});
  if (counts && is_ending(a)) --a.gang->members;
  if (a.state == allocation_state::expiring) {
    changes.apply(queue_ending{*a.owner->home, classes[a.class_id].need, a.state, 1});
  }
}

void allocation_states::expire(allocation &a, const reason &why) { move(a, allocation_event::timeout, &why); }

void allocation_states::dismiss(allocation &a, const reason &why) {
  changes.apply(allocation_dismissed{a, termination::stopped_by_rm, why});
  remove_allocation(a, allocation_event::release);
}

// It ends by the event. `keeps_ask`: who calls looks after the ask, which stays even where nothing of it is left.
void allocation_states::remove_allocation(allocation &a, allocation_event how, bool keeps_ask) {
  const bool node_gone = how == allocation_event::node_removed;
  application &app = *a.owner;
  changes.apply(allocation_leaving{a, how});
  if (a.gang != nullptr && !is_ending(a)) --a.gang->members;
  if (a.placeholder) gangs.let_go(a);
  const resources &need = classes[a.class_id].need;
  app.allocations.erase(&a);
  a.from->allocations.erase(&a);
  node &n = *a.where;
  n.allocations[a.node_slot] = n.allocations.back();
  n.allocations[a.node_slot]->node_slot = a.node_slot;
  n.allocations.pop_back();
  --count_;
  if (a.state != allocation_state::proposed) count_past_use(a);
  changes.apply(application_used{app, a.placeholder, need, -1});
  changes.apply(room_given{n, need});
  holdings.free(a.devices, node_gone ? nullptr : &n);
  allocations.retire(a);
  changes.apply(limit_used{app, need, -1});
  changes.apply(queue_used{*app.home, need, -1});
  if (!node_gone) changes.apply(node_changed{n, a.state == allocation_state::proposed});
  if (!keeps_ask) forget_if_done(*a.from);
  ends_at_.erase(a.sequence);
  if (a.state == allocation_state::preempting) claims.victim_gone(a);
  if (a.state == allocation_state::expiring) changes.apply(queue_ending{*app.home, need, a.state, -1});
  changes.apply(allocation_ended{a, how});
}

// An allocation that is counted no more: what it used is.
void allocation_states::count_past_use(const allocation &a) {
  static const std::string unknown = "UNKNOWN";
  const bool preempted = a.state == allocation_state::preempting;
  const auto what = preempted       ? past_use_kind::preempted
                    : a.placeholder ? past_use_kind::placeholder
                                    : past_use_kind::used;
  const node &n = *a.where;
  a.owner->past.add(what, n.instance_type == nullptr ? unknown : *n.instance_type, classes[a.class_id].need,
                    sub_saturating(clock.now_ms(), a.bind_time_ms));
}

void allocation_states::undo(allocation &a) {
  ask &of = *a.from;
  const node &where = *a.where;
  const bool ends = of.state == ask_state::released || of.owner->state == application_state::failing;
  if (ends) return remove_allocation(a, allocation_event::undo);
  remove_allocation(a, allocation_event::undo, true);
  if (unplace(of) && a.placeholder) --a.gang->timed_out;  // it did not end
  start_failed(of, where);
  forget_if_done(of);
}

// The ask stands in line anew: it may be tried again there at another time.
void allocation_states::start_failed(ask &a, const node &where) {
  if (a.state != ask_state::pending || !checks.note_failed_start(a, where)) return;
  lines.dequeue(a);
  lines.enqueue(a);
}

// -- Asks. --

ask &allocation_states::create_ask(application &owner, const ask_key &key) {
  ask &a = asks.create();
  a.owner = &owner;
  a.key = texts.keep(key.text);
  owner.asks.add(a, key.hash, asks);
  return a;
}

void allocation_states::add_pending_of(ask &a, int64_t times) {
  const resources &need = classes[a.class_id].need;
  application &app = *a.owner;
  changes.apply(application_asked{app, need, times});
  changes.apply(queue_asked{*app.home, need, times});
  if (a.placeholder) gangs.count_pending(a, times);
}

// One of what is pending is not any more.
void allocation_states::count_placed(ask &a) {
  add_pending_of(a, -1);
  changes.apply(ask_placed{a, 1});
  if (a.pending() != 0) {
    changes.apply(ask_moved{a, ask_event::place});
    if (a.line == ask_line::none) lines.enqueue(a);
    return;
  }
  changes.apply(ask_moved{a, ask_event::place_last});
  lines.dequeue(a);
}

// One of it is placed less. True: it is pending again.
bool allocation_states::unplace(ask &a) {
  if (a.state == ask_state::released) return false;
  const int32_t before = a.pending();
  if (a.max_allocations >= a.placed && intake.asks_too_much(classes[a.class_id].need, 1)) {
    static const reason too_much{cause::too_much_asked};
    changes.apply(ask_withdrawn{a, termination::unknown, &too_much});
    changes.apply(ask_wants{a, a.max_allocations, a.max_allocations - 1});
  }
  changes.apply(ask_placed{a, -1});
  if (a.pending() == 0) return false;
  changes.apply(ask_moved{a, ask_event::undo});
  add_pending_of(a, a.pending() - before);
  if (before == 0) lines.enqueue(a);
  return a.pending() > before;
}

void allocation_states::withdraw(ask &a, termination end, const reason *told) {
  if (a.state != ask_state::pending) return;
  changes.apply(ask_withdrawn{a, end, told});
  reservations.drop(a);
  lines.dequeue(a);
  add_pending_of(a, -a.pending());
  changes.apply(ask_wants{a, a.max_allocations, a.placed});
  changes.apply(ask_moved{a, ask_event::withdraw});
}

void allocation_states::drop(ask &a, termination end, const reason *told) {
  if (a.state != ask_state::pending) return;
  if (a.placeholder) a.gang->timed_out += a.pending();
  withdraw(a, end, told);
  forget_if_done(a);
}

void allocation_states::forget_wait(ask &a) {
  if (a.wait == nullptr) return;
  claims.forget(a);  // nobody waits for its victims any more, nor does it
  held_off.forget(a);
  checks.forget(a);
  waits.retire(*a.wait);
  a.wait = nullptr;
}

void allocation_states::begin_anew(ask &a) {
  if (a.wait == nullptr) return;
  std::vector<node_refusal> failed;
  std::copy_if(a.wait->refusals.begin(), a.wait->refusals.end(), std::back_inserter(failed),
               [](const node_refusal &r) { return r.failed_starts != 0; });
  forget_wait(a);
  for (node_refusal &r : failed) checks.remember(a, std::move(r));
}

void allocation_states::forget_if_done(ask &a) {
  if (!a.allocations.empty() || a.under_way != 0 || a.state == ask_state::pending) return;
  if (a.state == ask_state::allocated) changes.apply(ask_moved{a, ask_event::end});
  a.owner->asks.remove(a);
  forget_wait(a);
  changes.apply(ask_forgotten{a});
  asks.retire(a);
}

}  // namespace tenon::internal
