// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/required_node_preemption.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "model/free_devices.hpp"
#include "model/node_table.hpp"
#include "model/victims.hpp"
#include "outbound/fact_teller.hpp"
#include "rules/claims.hpp"
#include "rules/needed_victims.hpp"

namespace tenon::internal {

bool required_node_preemption::try_on(node &n, ask &a) {
  if (!config.preemption_enabled || (a.wait != nullptr && !a.wait->victims->empty())) return false;
  const ask_class &c = classes[a.class_id];
  const int64_t *free = nodes.free(n.slot);
  std::vector<int64_t> missing;
  for (const class_amount &p : c.positive) missing.push_back(sub_saturating(p.amount, free[p.type]));
  free_devices devices;
  devices.start(nodes.devices().of(n.slot), c.types);
  for (const reservation *r : *n.reservations) {
    if (r->of == &a) break;
    for (size_t k = 0; k < missing.size(); ++k) {
      missing[k] = add_saturating(missing[k], classes[r->of->class_id].need[c.positive[k].type]);
    }
  }
  const auto amount = [&](const allocation &x, size_t k) { return classes[x.class_id].need[c.positive[k].type]; };
  const auto take = [&](const allocation &x, int sign) {
    for (size_t k = 0; k < missing.size(); ++k) missing[k] -= sign * amount(x, k);
    if (devices.empty() || x.devices == no_record) return;
    const held_list &held = device_records[x.devices].held;
    sign > 0 ? devices.give(held) : devices.take(held);
  };
  const auto fits = [&] {
    return devices.fits(c) && std::all_of(missing.begin(), missing.end(), [](int64_t m) { return m <= 0; });
  };
  const auto helps = [&](const allocation &x) {
    for (size_t k = 0; k < missing.size(); ++k) {
      if ((missing[k] > 0 || devices.lacks(c, c.positive[k].type)) && amount(x, k) > 0) return true;
    }
    return false;
  };
  for (const allocation *x : n.allocations) {
    if (is_ending(*x)) take(*x, 1);
  }
  if (fits()) return false;  // it waits for what is ending
  std::vector<allocation *> victims;
  for (allocation *x : n.allocations) {
    const bool may = x->state == allocation_state::allocated && !x->bound && x->priority <= a.priority;
    if (may && helps(*x) && !is_spared(*x->owner->home)) victims.push_back(x);
  }
  sort_candidates(victims);
  // Those that opted out come last, so that they are reached only where the others are not enough.
  size_t taken = 0;
  for (; !fits() && taken < victims.size(); ++taken) take(*victims[taken], 1);
  if (!fits()) return facts.tell_without_victims(a, n), false;
  std::vector<allocation *> needed(victims.begin(), victims.begin() + static_cast<ptrdiff_t>(taken));
  keep_needed(
      needed, std::span<allocation *const>(victims), [&](const allocation *x, int sign) { take(*x, sign); },
      [](const allocation *) { return true; }, fits,
      [&](const allocation *x) { return dominant_share(classes[x->class_id].need, total); });
  claims.take(needed, {cause::preempted_for_daemon, a.key}, &a);
  return true;
}

}  // namespace tenon::internal
