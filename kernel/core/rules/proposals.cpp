// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/proposals.hpp"

#include <algorithm>
#include <vector>

#include "queueing/change_dispatcher.hpp"
#include "queueing/node_fitness.hpp"
#include "rules/gangs.hpp"
#include "rules/lifecycles.hpp"
#include "rules/limits.hpp"
#include "rules/open_proposals.hpp"
#include "rules/placeholder_timers.hpp"
#include "rules/replacements.hpp"

namespace tenon::internal {

void proposals::undo(application &app, uint64_t number, const reason &why, bool pending_again, allocation_event how) {
  const proposal p = *open.find(number);
  open.remove(number);
  changes.apply(proposal_ended{app, p, &why});
  ask &of = p.of();
  if (p.made != nullptr) {
    allocations.remove_allocation(*p.made, how, true);
    if (pending_again && allocations.unplace(of) && p.made->placeholder) --p.made->gang->timed_out;  // it did not end
  } else {
    node &n = *p.instead->where;
    allocation &placeholder = *p.instead->placeholder;
    const bool gives_room = p.instead->elsewhere();
    changes.apply(replacement_proposed{placeholder, nullptr});
    replacements.end(*p.instead);
    if (pending_again) allocations.unplace(of);
    gangs.make_available(placeholder);
    if (gives_room) changes.apply(node_changed{n, true});
  }
  allocations.forget_if_done(of);
  const bool alone = app.proposals->empty() && app.first_bind_ms == INT64_MAX;
  if (app.state == application_state::accepted && alone) applications.count_up(app, false);
  limits.leave(app);
  placeholder_timers.watch_left_over(app, false);
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
  if (app.proposals->empty()) return;
  undo_those(
      app, [&](const proposal &p) { return &p.of() == &a; }, why, true);
}

void proposals::undo_all_of(application &app, const reason &why, bool pending_again) {
  if (app.proposals->empty()) return;
  undo_those(
      app, [](const proposal &) { return true; }, why, pending_again);
}

bool proposals::undo_placeholders(application &app, const reason &why) {
  if (app.proposals->empty()) return false;
  return undo_those(
      app, [](const proposal &p) { return p.is_placeholder(); }, why, true);
}

void proposals::undo_on(node &n, const reason &why, bool unfit_alone) {
  std::vector<uint64_t> numbers;
  const auto fits = [&](const ask &a) { return fitness.is_usable(n, classes[a.class_id]); };
  for (const allocation *x : n.allocations) {
    if (x->state == allocation_state::proposed && !(unfit_alone && fits(*x->from))) numbers.push_back(x->sequence);
    if (x->offered != nullptr && !unfit_alone) numbers.push_back(x->offered->number);
  }
  for (const replacement *r : n.coming) {
    if (r->number != 0 && !(unfit_alone && fits(*r->real))) numbers.push_back(r->number);
  }
  std::sort(numbers.begin(), numbers.end());
  for (const uint64_t number : numbers) undo(open.owner_of(number), number, why, true);
}

void proposals::undo_beyond(node &n, const reason &why) {
  const auto number_of = [&](uint64_t number, uint32_t class_id) {
    return fitness.is_overcommitted(n, classes[class_id]) ? number : 0;
  };
  for (;;) {
    uint64_t newest = 0;
    for (const allocation *x : n.allocations) {
      if (x->state == allocation_state::proposed) newest = std::max(newest, number_of(x->sequence, x->class_id));
    }
    for (const replacement *r : n.coming) newest = std::max(newest, number_of(r->number, r->real->class_id));
    if (newest == 0) return;
    undo(open.owner_of(newest), newest, why, true);
  }
}

// It is not there any more, or something else becomes of it.
void proposals::undo_offer(allocation &placeholder) {
  if (placeholder.offered == nullptr) return;
  undo(*placeholder.owner, placeholder.offered->number, {cause::placeholder_gone, placeholder.key()}, true);
}

}  // namespace tenon::internal
