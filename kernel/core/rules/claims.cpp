// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/claims.hpp"

#include <algorithm>
#include <utility>

#include "model/gang_reservations.hpp"
#include "queueing/ask_alarms.hpp"
#include "queueing/change_dispatcher.hpp"
#include "rules/lifecycles.hpp"

namespace tenon::internal {

void claims::take(const std::vector<allocation *> &victims, const reason &why, ask *by, const queue *over) {
  for (allocation *x : victims) {
    lifecycle.move(*x, allocation_event::preempt, &why);
    changes.apply(queue_ending{*x->owner->home, classes[x->class_id].need, x->state, 1});
    changes.apply(allocation_preempted{*x, by, over});
    if (by != nullptr) claim(*by, *x);
  }
  if (by != nullptr) keep_for(*by);
}

void claims::claim(ask &by, const std::vector<allocation *> &victims) {
  for (allocation *x : victims) claim(by, *x);
  keep_for(by);
}

void claims::claim(ask &by, allocation &x) {
  (void)ask_wait::of(by, waits);
  changes.apply(victim_claimed{by, x});
  claimed_by_.emplace(&x, &by);
}

void claims::victim_gone(const allocation &a) {
  changes.apply(queue_ending{*a.owner->home, classes[a.class_id].need, a.state, -1});
  const auto found = claimed_by_.find(&a);
  if (found == claimed_by_.end()) return;
  ask &by = *found->second;
  claimed_by_.erase(found);
  changes.apply(claim_ended{by, a});
  keep_for(by);
  if (by.wait->victims->empty()) alarms.chance_changed(by);
}

void claims::victim_resized(const allocation &a) {
  if (const auto found = claimed_by_.find(&a); found != claimed_by_.end()) keep_for(*found->second);
}

namespace {

// Returns the part that is in the queue, or an empty one.
awaited_part of_queue(const std::vector<awaited_part> &all, const queue &q) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const awaited_part &p) { return p.in == &q; });
  return found == all.end() ? awaited_part() : *found;
}

}  // namespace

// What all placeholders need for which nodes are reserved as for one gang.
resources claims::need_of_reserved(const application &app) const {
  resources out;
  for (const reservation *r : app.reservations) {
    if (r->of_gang) out += classes[r->of->class_id].need;
  }
  return out;
}

// What is kept again at once is no change, so that nobody wakes for it.
void claims::keep_for(ask &of) {
  ask &a = claimant_of(of);
  const std::vector<awaited_part> before = std::exchange(a.wait->awaited, {});
  const reservation *held = reservation_of(a);
  const bool with_gang = a.placeholder && is_freed_for_gang(*a.owner);
  const bool is_claimant =
      with_gang || !a.wait->victims->empty() || (held != nullptr && held->way == way_to_room::preemption);
  std::erase(claimants_, &a);
  if (is_claimant) claimants_.push_back(&a);
  const bool keeps = is_claimant && (with_gang || held != nullptr);
  const resources need = with_gang ? need_of_reserved(*a.owner) : classes[a.class_id].need;
  for (queue *q = a.owner->home; keeps && q->parent != nullptr; q = q->parent) {
    awaited_part &part = a.wait->awaited.emplace_back(awaited_part{q, need, {}});
    for_each_type(need, [&](type_index t, int64_t amount) {
      for (const allocation *x : a.wait->victims) {
        if (lies_below(*x->owner->home, *q)) amount = sub_saturating(amount, classes[x->class_id].need[t]);
      }
      if (amount > 0) part.kept.set(t, amount);
    });
  }
  for (const awaited_part &part : a.wait->awaited) tell_change(of_queue(before, *part.in), part);
  for (const awaited_part &part : before) {
    if (of_queue(a.wait->awaited, *part.in).in == nullptr) tell_change(part, {part.in, {}, {}});
  }
}

void claims::tell_change(const awaited_part &before, const awaited_part &now) {
  const resource_change claimed = change_between(before.claimed, now.claimed);
  const resource_change kept = change_between(before.kept, now.kept);
  changes.apply(queue_awaited{{now.in, claimed.more, kept.more}, 1});
  changes.apply(queue_awaited{{now.in, claimed.less, kept.less}, -1});
}

void claims::keep_for_all() {
  for (ask *a : std::vector<ask *>(claimants_)) keep_for(*a);
}

void claims::forget(ask &a) {
  if (a.wait == nullptr || a.wait->victims->empty()) return;
  for (const allocation *x : a.wait->victims) claimed_by_.erase(x);
  changes.apply(claims_forgotten{a});
  keep_for(a);
}

}  // namespace tenon::internal
