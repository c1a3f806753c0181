// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/claims.hpp"

#include "ready/ask_alarms.hpp"
#include "ready/change_dispatcher.hpp"
#include "rules/lifecycles.hpp"

namespace tenon::internal {

void claims::take(const std::vector<allocation *> &victims, const reason &why, ask *by, const queue *over) {
  const bool claims_anew = by != nullptr && (by->wait == nullptr || by->wait->victims->empty());
  for (allocation *x : victims) {
    lifecycle.move(*x, allocation_event::preempt, &why);
    changes.apply(queue_preempting{*x->owner->home, classes[x->class_id].need, 1});
    changes.apply(allocation_preempted{*x, by, over});
    if (by != nullptr) claim(*by, *x);
  }
  if (claims_anew) claimants_.push_back(by);
}

void claims::claim(ask &by, const std::vector<allocation *> &victims) {
  for (allocation *x : victims) claim(by, *x);
  claimants_.push_back(&by);
}

void claims::claim(ask &by, allocation &x) {
  (void)ask_wait::of(by, waits);
  changes.apply(victim_claimed{by, x});
  claimed_by_.emplace(&x, &by);
}

void claims::victim_gone(const allocation &a) {
  changes.apply(queue_preempting{*a.owner->home, classes[a.class_id].need, -1});
  const auto found = claimed_by_.find(&a);
  if (found == claimed_by_.end()) return;
  ask &by = *found->second;
  claimed_by_.erase(found);
  changes.apply(claim_ended{by, a});
  if (!by.wait->victims->empty()) return;
  std::erase(claimants_, &by);
  alarms.chance_changed(by);
}

void claims::forget(ask &a) {
  if (a.wait->victims->empty()) return;
  for (const allocation *x : a.wait->victims) claimed_by_.erase(x);
  std::erase(claimants_, &a);
  changes.apply(claims_forgotten{a});
}

}  // namespace tenon::internal
