// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Explainer: what an ask does beside waiting for a place, and whether anybody would give way to it.
#include <algorithm>

#include "explain/explain_text.hpp"
#include "explain/explainer.hpp"
#include "model/gang_reservations.hpp"
#include "queueing/preemption_times.hpp"
#include "rules/placement_checks.hpp"
#include "rules/victim_search.hpp"

namespace tenon::internal {

// What it does beside waiting for a place.
void explainer::explain_claims(const ask &a, explanation &out) const {
  for (const reservation *r : a.owner->reservations) {
    if (r->of == &a) add_obstacle(out, obstacle_kind::reserved, r->where->id);
  }
  const ask_wait *wait = claimant_of(a).wait;
  if (wait == nullptr || wait->victims->empty()) return;
  std::string all;
  for (const allocation *x : wait->victims) {
    all.append(all.empty() ? "" : ", ").append(x->owner->id).append("/").append(x->key());
  }
  add_obstacle(out, obstacle_kind::victims, all).asked = static_cast<int64_t>(wait->victims->size());
}

// An attempt that would find nobody now is not promised, whenever it is due. As things are it would find nothing. What
// it would find when it is due may be something else.
void explainer::explain_preemption(const ask &a, explanation &out) {
  const ask_class &c = classes[a.class_id];
  const int64_t at = preempts.of(a);
  if (out.obstacles.empty() || c.requires_a_node() || !identity.config.preemption_enabled) return;
  if (!a.preempt_other && victims.has_guarantee_left(a, c)) {
    add_obstacle(out, obstacle_kind::no_victims, {}).reason =
        "its queue is below its guarantee, but the ask is not one that may preempt others";
  }
  if (at == INT64_MAX) return;
  checks.begin_look();
  if (const node *n = victims.find(a, c, nullptr); n != nullptr) {
    obstacle &o = add_obstacle(out, obstacle_kind::preempts_later, n->id);
    o.until_ms = std::max(at, shared.now_ms);
    o.asked = static_cast<int64_t>(victims.victims().size());
  } else {
    add_obstacle(out, obstacle_kind::no_victims, {}).reason = victims.why_nobody(a, c);
  }
}

}  // namespace tenon::internal
