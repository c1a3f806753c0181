// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/proposal_answers.hpp"

#include <string>

#include "core.hpp"
#include "model/node_table.hpp"
#include "queueing/change_dispatcher.hpp"
#include "queueing/held_off_asks.hpp"
#include "rules/gangs.hpp"
#include "rules/lifecycles.hpp"
#include "rules/limits.hpp"
#include "rules/open_proposals.hpp"
#include "rules/placeholder_timers.hpp"
#include "rules/placement_checks.hpp"
#include "rules/proposals.hpp"
#include "rules/reservations.hpp"

namespace tenon::internal {

void proposal_answers::obey(const check_answer &c) {
  if (!c.key.empty()) return obey_about_reservation(c);
  const proposal *found = open.find(c.number);
  if (found == nullptr) return;
  const proposal p = *found;
  application &app = *p.of().owner;
  if (c.accepted) return confirm(app, p);
  ++shared.counters.proposals_refused;
  refuse(app, p, c.reason);
}

void proposal_answers::obey_about_reservation(const check_answer &c) {
  if (!open.are_made()) return;
  const application *app = of.find_application(c.application);
  ask *a = app == nullptr ? nullptr : app->asks.find(c.key);
  const node *n = nodes.find(c.node);
  if (a == nullptr || n == nullptr || a->pending() == 0) return;
  if (!c.accepted) checks.note_refusal(*a, *n, c.reason);
  held_off.look_again(*a);
}

// It said nothing: nothing is remembered, and the ask may be proposed there again.
void proposal_answers::is_late(uint64_t number) {
  const proposal &p = *open.find(number);
  ask &a = p.of();
  node &n = p.where();
  const auto reserved = p.reserved;
  ++shared.counters.proposals_late;
  undoing.undo(*a.owner, number, {cause::check_late}, true, allocation_event::late);
  if (reserved) reservations.take_up(a, n, *reserved);
}

void proposal_answers::confirm(application &app, const proposal &p) {
  open.remove(p.number);
  changes.apply(proposal_ended{app, p, nullptr});
  if (p.made != nullptr) {
    allocation &x = *p.made;
    allocations.move(x, allocation_event::confirm, nullptr);
    limits.enter(app, false);
    x.bind_time_ms = shared.now_ms;
    if (x.placeholder) gangs.make_available(x);
    allocation_terms terms;
    terms.execution_timeout_ms = p.execution_timeout_ms;
    allocations.announce(x, terms, false);
    placeholder_timers.watch_left_over(app, false);
    return applications.after_placing(app, x);
  }
  allocation &placeholder = *p.instead->placeholder;
  const reason why{cause::replaced, p.instead->real->key};
  p.instead->number = 0;
  changes.apply(replacement_proposed{placeholder, nullptr});
  changes.apply(replacement_begun{placeholder, p.instead});
  // It left those that are Allocated when proposed.
  changes.apply(allocation_moved{placeholder, allocation_event::replace, &why});
}

void proposal_answers::refuse(application &app, const proposal &p, std::string_view words) {
  checks.note_refusal(p.of(), p.where(), words);
  undoing.undo(app, p.number, {cause::check_refused, shared.keep(std::string(words))}, true, allocation_event::refuse);
}

}  // namespace tenon::internal
