// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/proposals.hpp"

#include <algorithm>

#include "change_dispatcher.hpp"
#include "core.hpp"
#include "ledger/device_holdings.hpp"
#include "rules/gangs.hpp"
#include "rules/lifecycles.hpp"
#include "rules/limits.hpp"
#include "rules/placeholder_timers.hpp"
#include "rules/placement_checks.hpp"
#include "rules/replacements.hpp"
#include "rules/reservations.hpp"
#include "tenon/kernel/messages.hpp"
#include "told/decision_teller.hpp"

namespace tenon::internal {

const proposal *proposals::find(uint64_t number) const {
  const auto found = open_.find(number);
  if (found == open_.end()) return nullptr;
  const std::vector<proposal> &all = found->second.owner->proposals;
  return &*std::find_if(all.begin(), all.end(), [&](const proposal &p) { return p.number == number; });
}

void proposals::take_over(const proposal &p, application &owner) {
  owner.proposals.push_back(p);
  open_[p.number].owner = &owner;
}

// -- Made. --

void proposals::propose(ask &a, node &n) {
  const allocation_terms terms = allocations_.terms_of(a);
  node *kept = reservations_.use(a);
  allocation &x = allocations_.place_on(a, n, terms, shared_.now_ms, {}, allocation_event::propose);
  allocations_.count_placed(a);
  note(*a.owner, {x.sequence, &x, nullptr, terms.execution_timeout_ms});
  if (kept != nullptr) reservations_.reopen(*kept);
}

void proposals::propose_replacement(ask &a, allocation &placeholder, node &n, const held_list &devices) {
  node *kept = reservations_.use(a);
  replacement &r = replacements_.make(a, placeholder, n, devices);
  r.number = allocations_.take_sequence();
  gangs_.leave_allocated(placeholder);  // nothing else is proposed in its place
  placeholder.offered = &r;
  changes_.apply(replacement_changed{placeholder});
  allocations_.count_placed(a);
  note(*a.owner, {r.number, nullptr, &r, 0});
  if (kept != nullptr) reservations_.reopen(*kept);
}

void proposals::note(application &app, const proposal &p) {
  app.proposals.push_back(p);
  open_.emplace(p.number, open_proposal{&app});
  ++shared_.counters.proposed;
  const std::string_view in_place_of = p.instead == nullptr ? std::string_view{} : p.instead->placeholder->key();
  emit_proposal(decided::proposed{in_place_of, devices_of(p)}, p);
  if (app.state == application_state::accepted) applications_.count_up(app, true);
}

// -- Deadlines: from the delivery of the check. --

void proposals::delivered(const checks_delivered &c) {
  for (auto at = open_.upper_bound(delivered_to_); at != open_.end() && at->first <= c.number; ++at) {
    arm_deadline(at->first, at->second);
  }
  delivered_to_ = std::max(delivered_to_, c.number);
}

void proposals::arm_deadline(uint64_t number, open_proposal &p) {
  p.has_deadline = true;
  shared_.timers.arm(add_saturating(shared_.now_ms, check_deadline_ms_), timer_kind::rm_check, partition_id_, ++p.armed,
                     number);
}

void proposals::stop_deadlines() {
  for (auto &[number, p] : open_) p.has_deadline = false;
}

void proposals::restart_deadlines() {
  for (auto &[number, p] : open_) {
    if (number <= delivered_to_) arm_deadline(number, p);
  }
}

bool proposals::is_void(const timer &t) const {
  const auto found = open_.find(t.epoch);
  return found == open_.end() || !found->second.has_deadline || found->second.armed != t.object;
}

// -- Answered. --

void proposals::answer(const check_answer &c) {
  const proposal *found = find(c.number);
  if (found == nullptr) return;
  const proposal p = *found;
  application &app = *p.of().owner;
  if (c.accepted) return confirm(app, p);
  ++shared_.counters.proposals_refused;
  refuse(app, p, c.reason);
}

// It said nothing: nothing is remembered, and the ask may be proposed there again.
void proposals::is_late(uint64_t number) {
  const proposal &p = *find(number);
  ++shared_.counters.proposals_late;
  undo(*p.of().owner, number, {cause::check_late}, true, allocation_event::late);
}

proposal proposals::take(application &app, uint64_t number) {
  const auto is_it = [&](const proposal &p) { return p.number == number; };
  const auto found = std::find_if(app.proposals.begin(), app.proposals.end(), is_it);
  const proposal out = *found;
  app.proposals.erase(found);
  open_.erase(number);
  return out;
}

void proposals::confirm(application &app, const proposal &p) {
  (void)take(app, p.number);
  if (p.made != nullptr) {
    allocation &x = *p.made;
    allocations_.move(x, allocation_event::confirm);
    limits_.enter(app, false);
    x.bind_time_ms = shared_.now_ms;
    reservations_.look_for_victims(*x.where);
    if (x.placeholder) gangs_.make_available(x);
    allocation_terms terms;
    terms.execution_timeout_ms = p.execution_timeout_ms;
    allocations_.announce(x, terms, false);
    placeholder_timers_.watch_left_over(app, false);
    return applications_.after_placing(app, x);
  }
  allocation &placeholder = *p.instead->placeholder;
  p.instead->number = 0;
  decisions_.emit_released(placeholder, termination::placeholder_replaced, {cause::replaced, p.instead->real->key});
  placeholder.offered = nullptr;
  placeholder.under_way = p.instead;
  changes_.apply(
      allocation_moved{placeholder, allocation_event::replace});  // it left those that are Allocated when proposed
}

void proposals::refuse(application &app, const proposal &p, std::string_view words) {
  ask &a = p.of();
  checks_.note_refusal(a, p.where(), words);
  undo(app, p.number, {cause::check_refused, decisions_.keep(std::string(words))}, true, allocation_event::refuse);
}

// -- Ended. --

void proposals::undo(application &app, uint64_t number, const reason &why, bool pending_again, allocation_event how) {
  const proposal p = take(app, number);
  emit_proposal(decided::undone{why, devices_of(p)}, p);
  ask &of = p.of();
  if (p.made != nullptr) {
    allocations_.remove_allocation(*p.made, how, true);
    if (pending_again && allocations_.unplace(of) && p.made->placeholder) --p.made->gang->timed_out;  // it did not end
  } else {
    node &n = *p.instead->where;
    allocation &placeholder = *p.instead->placeholder;
    const bool gives_room = p.instead->elsewhere();
    placeholder.offered = nullptr;
    changes_.apply(replacement_changed{placeholder});
    replacements_.end(*p.instead);
    if (pending_again) allocations_.unplace(of);
    gangs_.make_available(placeholder);
    if (gives_room) changes_.apply(node_changed{n});
  }
  allocations_.forget_if_done(of);
  const bool alone = app.proposals.empty() && app.first_bind_ms == INT64_MAX;
  if (app.state == application_state::accepted && alone) applications_.count_up(app, false);
  limits_.leave(app);
  placeholder_timers_.watch_left_over(app, false);
}

bool proposals::undo_those(application &app, const which_proposals &which, const reason &why, bool pending_again) {
  std::vector<uint64_t> numbers;
  for (const proposal &p : app.proposals) {
    if (which(p)) numbers.push_back(p.number);
  }
  for (const uint64_t number : numbers) undo(app, number, why, pending_again);
  return !numbers.empty();
}

void proposals::undo_all_of(ask &a, const reason &why) {
  application &app = *a.owner;
  if (app.proposals.empty()) return;
  undo_those(
      app, [&](const proposal &p) { return &p.of() == &a; }, why, true);
}

void proposals::undo_all_of(application &app, const reason &why, bool pending_again) {
  if (app.proposals.empty()) return;
  undo_those(
      app, [](const proposal &) { return true; }, why, pending_again);
}

bool proposals::undo_placeholders(application &app, const reason &why) {
  if (app.proposals.empty()) return false;
  return undo_those(
      app, [](const proposal &p) { return p.is_placeholder(); }, why, true);
}

void proposals::undo_on(node &n, const reason &why, bool unfit_alone) {
  std::vector<uint64_t> numbers;
  const auto fits = [&](const ask &a) {
    const ask_class &c = classes_[a.class_id];
    return (n.schedulable() || !c.required_node.empty()) && devices_.may_hold(n, c) && verdicts_.passes(c, n.slot);
  };
  for (const allocation *x : n.allocations) {
    if (x->state == allocation_state::proposed && !(unfit_alone && fits(*x->from))) numbers.push_back(x->sequence);
    if (x->offered != nullptr && !unfit_alone) numbers.push_back(x->offered->number);
  }
  for (const replacement *r : n.coming) {
    if (r->number != 0 && !unfit_alone) numbers.push_back(r->number);
  }
  std::sort(numbers.begin(), numbers.end());
  for (const uint64_t number : numbers) undo(*open_.at(number).owner, number, why, true);
}

// It is not there any more, or something else becomes of it.
void proposals::undo_offer(allocation &placeholder) {
  if (placeholder.offered == nullptr) return;
  undo(*placeholder.owner, placeholder.offered->number, {cause::placeholder_gone, placeholder.key()}, true);
}

std::string_view proposals::devices_of(const proposal &p) const {
  return device_records_.text_of(p.made != nullptr ? p.made->devices : p.instead->devices);
}

void proposals::emit_proposal(const decided_what &what, const proposal &p) {
  if (p.made != nullptr) {
    decisions_.emit(what, *p.made);
    return;
  }
  decision_view &d = decisions_.emit(what, *p.instead->real);
  d.allocation_sequence = p.number;
  d.node = p.instead->where->id;
}

}  // namespace tenon::internal
