// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Proposals: placements that the resource manager checks before they are made known. They are counted from the
// start; a refusal takes them back and is remembered for the ask and the node, until something changes there. One that
// is not answered in time is taken back alone.
#include <algorithm>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

// -- Made. --

void partition::propose(ask &a, node &n) {
  const allocation_terms terms = terms_of(a);
  node *kept = reservations.use(a);
  allocation &x = place_on(a, n, terms, shared.now_ms, {}, allocation_event::propose);
  count_placed(a);
  note_proposal(*a.owner, {x.sequence, &x, nullptr, terms.execution_timeout_ms});
  if (kept != nullptr) reservations.reopen(*kept);
}

void partition::propose_replacement(ask &a, allocation &placeholder, node &n, const held_list &devices) {
  node *kept = reservations.use(a);
  replacement &r = make_replacement(a, placeholder, n, devices);
  r.number = next_allocation++;
  leave_allocated(placeholder);  // nothing else is proposed in its place
  placeholder.offered = &r;
  touched(placeholder);
  count_placed(a);
  note_proposal(*a.owner, {r.number, nullptr, &r, 0});
  if (kept != nullptr) reservations.reopen(*kept);
}

void partition::note_proposal(application &app, const proposal &p) {
  app.proposals.push_back(p);
  proposed.emplace(p.number, open_proposal{&app});
  ++shared.counters.proposed;
  emit_proposal(
      decision_kind::proposed, p,
      p.instead == nullptr ? std::string_view{} : keep(messages::proposed_in_place(p.instead->placeholder->key())));
  if (app.state == application_state::accepted) count_up(app, true);
}

// -- Deadlines: from the delivery of the check. --

void partition::delivered(const checks_delivered &c) {
  for (auto at = proposed.upper_bound(checks_delivered_to); at != proposed.end() && at->first <= c.number; ++at) {
    arm_deadline(at->first, at->second);
  }
  checks_delivered_to = std::max(checks_delivered_to, c.number);
}

void partition::arm_deadline(uint64_t number, open_proposal &p) {
  p.has_deadline = true;
  shared.timers.arm(add_saturating(shared.now_ms, check_deadline_ms), timer_kind::rm_check, id, ++p.armed, number);
}

// Nobody is there who could answer.
void partition::stop_deadlines() {
  for (auto &[number, p] : proposed) p.has_deadline = false;
}

void partition::restart_deadlines() {
  for (auto &[number, p] : proposed) {
    if (number <= checks_delivered_to) arm_deadline(number, p);
  }
}

// -- Answered. --

void partition::answer(const check_answer &c) {
  const auto found = proposed.find(c.number);
  if (found == proposed.end()) return;
  application &app = *found->second.owner;
  const auto is_it = [&](const proposal &p) { return p.number == c.number; };
  const proposal p = *std::find_if(app.proposals.begin(), app.proposals.end(), is_it);
  if (c.accepted) return confirm(app, p);
  ++shared.counters.proposals_refused;
  refuse(app, p, messages::check_refused(p.where().id, c.reason), c.reason);
}

// It said nothing: nothing is remembered, and the ask may be proposed there again.
void partition::check_is_late(uint64_t number) {
  application &app = *proposed.at(number).owner;
  const auto is_it = [&](const proposal &p) { return p.number == number; };
  const proposal p = *std::find_if(app.proposals.begin(), app.proposals.end(), is_it);
  ++shared.counters.proposals_late;
  undo(app, number, keep(messages::check_late(p.where().id)), true, allocation_event::late);
}

proposal partition::take_proposal(application &app, uint64_t number) {
  const auto is_it = [&](const proposal &p) { return p.number == number; };
  const auto found = std::find_if(app.proposals.begin(), app.proposals.end(), is_it);
  const proposal out = *found;
  app.proposals.erase(found);
  proposed.erase(number);
  return out;
}

void partition::confirm(application &app, const proposal &p) {
  (void)take_proposal(app, p.number);
  if (p.made != nullptr) {
    allocation &x = *p.made;
    move(x, allocation_event::confirm);
    enter_limits(app, false);
    x.bind_time_ms = shared.now_ms;
    reservations.look_for_victims(*x.where);
    if (x.placeholder) make_available(x);
    allocation_terms terms;
    terms.execution_timeout_ms = p.execution_timeout_ms;
    announce(x, terms);
    watch_left_over(app, false);
    return after_placing(app, x);
  }
  allocation &placeholder = *p.instead->placeholder;
  p.instead->number = 0;
  emit_allocation(decision_kind::released, placeholder, termination::placeholder_replaced,
                  keep(messages::replacing(p.instead->real->key)));
  placeholder.offered = nullptr;
  placeholder.under_way = p.instead;
  apply(allocation_moved{placeholder, allocation_event::replace});  // it left those that are Allocated when proposed
}

void partition::refuse(application &app, const proposal &p, std::string why, std::string_view reason) {
  ask &a = p.of();
  const std::string_view words = keep(std::move(why));
  if (!is_refused(a, p.where())) {
    std::vector<node_refusal> &refusals = wait_of(a).refusals;
    refusals.push_back({&p.where(), std::string(reason)});
    keeps.bytes += kept_for(refusals.back());
    refused_on[&p.where()].push_back(&a);
  }
  undo(app, p.number, words, true, allocation_event::refuse);
}

// -- Ended. --

void partition::undo(application &app, uint64_t number, std::string_view text, bool pending_again,
                     allocation_event how) {
  const proposal p = take_proposal(app, number);
  emit_proposal(decision_kind::undone, p, text);
  ask &of = p.of();
  if (p.made != nullptr) {
    remove_allocation(*p.made, how, true);
    if (pending_again && unplace(of) && p.made->placeholder) --p.made->gang->timed_out;  // it did not end
  } else {
    node &n = *p.instead->where;
    allocation &placeholder = *p.instead->placeholder;
    const bool gives_room = p.instead->elsewhere();
    placeholder.offered = nullptr;
    touched(placeholder);
    end_replacement(*p.instead);
    if (pending_again) unplace(of);
    make_available(placeholder);
    if (gives_room) apply(node_changed{n});
  }
  forget_if_done(of);
  const bool alone = app.proposals.empty() && app.first_bind_ms == INT64_MAX;
  if (app.state == application_state::accepted && alone) count_up(app, false);
  leave_limits(app);
  watch_left_over(app, false);
}

bool partition::undo_proposals(application &app, const which_proposals &which, const std::string &text,
                               bool pending_again) {
  std::vector<uint64_t> numbers;
  for (const proposal &p : app.proposals) {
    if (which(p)) numbers.push_back(p.number);
  }
  const std::string_view kept = numbers.empty() ? std::string_view{} : keep(text);
  for (const uint64_t number : numbers) undo(app, number, kept, pending_again);
  return !numbers.empty();
}

void partition::undo_proposals_of(ask &a, const std::string &text) {
  application &app = *a.owner;
  if (app.proposals.empty()) return;
  undo_proposals(
      app, [&](const proposal &p) { return &p.of() == &a; }, text, true);
}

void partition::undo_proposals_of(application &app, const std::string &text, bool pending_again) {
  if (app.proposals.empty()) return;
  undo_proposals(
      app, [](const proposal &) { return true; }, text, pending_again);
}

bool partition::undo_placeholders(application &app, const std::string &text) {
  if (app.proposals.empty()) return false;
  return undo_proposals(
      app, [](const proposal &p) { return p.is_placeholder(); }, text, true);
}

// What is to run there, or in place of what runs there; or placements alone that the node does not take any more.
void partition::undo_proposals_on(node &n, const std::string &text, bool unfit_alone) {
  std::vector<uint64_t> numbers;
  const auto fits = [&](const ask &a) {
    const ask_class &c = classes[a.class_id];
    return (n.schedulable() || requires_a_node(a)) && holds(n, c) && passes(c, n.slot);
  };
  for (const allocation *x : n.allocations) {
    if (x->state == allocation_state::proposed && !(unfit_alone && fits(*x->from))) numbers.push_back(x->sequence);
    if (x->offered != nullptr && !unfit_alone) numbers.push_back(x->offered->number);
  }
  for (const replacement *r : n.coming) {
    if (r->number != 0 && !unfit_alone) numbers.push_back(r->number);
  }
  std::sort(numbers.begin(), numbers.end());
  const std::string_view kept = numbers.empty() ? std::string_view{} : keep(text);
  for (const uint64_t number : numbers) undo(*proposed.at(number).owner, number, kept, true);
}

// It is not there any more, or something else becomes of it.
void partition::undo_offer(allocation &placeholder) {
  if (placeholder.offered == nullptr) return;
  undo(*placeholder.owner, placeholder.offered->number, keep(messages::proposal_placeholder_gone(placeholder.key())),
       true);
}

void partition::emit_proposal(decision_kind kind, const proposal &p, std::string_view text) {
  if (p.made != nullptr) return emit_allocation(kind, *p.made, termination::unknown, text);
  decision_view &d = emit(kind, *p.instead->real);
  d.allocation_sequence = p.number;
  d.node = p.instead->where->id;
  d.detail = detail_of(p.instead->devices);
  d.text = text;
}

// -- Refusals. --

bool partition::is_refused(const ask &a, const node &n) {
  return a.wait != nullptr && std::any_of(a.wait->refusals.begin(), a.wait->refusals.end(),
                                          [&](const node_refusal &r) { return r.where == &n; });
}

void partition::forget_refusals(ask &a) {
  for (const node_refusal &r : a.wait->refusals) {
    const auto found = refused_on.find(r.where);
    std::erase(found->second, &a);
    if (found->second.empty()) refused_on.erase(found);
    keeps.bytes -= kept_for(r);
  }
  a.wait->refusals.clear();
}

void partition::forget_refusals_on(const node &n) {
  if (refused_on.empty()) return;
  const auto found = refused_on.find(&n);
  if (found == refused_on.end()) return;
  for (ask *a : found->second) drop_refusals(*a, n);
  refused_on.erase(found);
}

void partition::check_again(const tenon::check_again &c) {
  bool some = false;
  std::vector<const node *> left_over;
  for (auto &[n, refused] : refused_on) {  // any order: those who are woken have one
    if (!c.node.empty() && n->id != c.node) continue;
    std::erase_if(refused, [&, where = n](ask *a) {
      if ((!c.application.empty() && a->owner->id != c.application) || (!c.key.empty() && a->key != c.key))
        return false;
      drop_refusals(*a, *where);
      return some = true;
    });
    if (refused.empty()) left_over.push_back(n);
  }
  for (const node *n : left_over) refused_on.erase(n);
  if (some) lines.wake_refused();
}

}  // namespace tenon::internal
