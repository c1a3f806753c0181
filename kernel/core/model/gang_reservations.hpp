// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Gang reservations: nodes reserved for all placeholders of a gang that begins whole (docs/decisions-gangs.md,
// section 5).
#pragma once

#include <algorithm>
#include <vector>

#include "model/objects.hpp"

namespace tenon::internal {

// The first of those for the gang of the application; null: there are none.
[[nodiscard]] inline reservation *reservation_of_gang(const application &app) {
  const std::vector<reservation *> &all = app.reservations;
  const auto found = std::find_if(all.begin(), all.end(), [](const reservation *r) { return r->of_gang; });
  return found == all.end() ? nullptr : *found;
}

template <class F>
void for_each_of_gang(const application &app, F &&f) {
  for (reservation *r : app.reservations) {
    if (r->of_gang) f(*r);
  }
}

// True if preemption freed nodes for the gang of the application; false if none are reserved, or if they are to empty.
[[nodiscard]] inline bool is_freed_for_gang(const application &app) {
  const reservation *r = reservation_of_gang(app);
  return r != nullptr && r->way == way_to_room::preemption;
}

// True if the ask is one of a gang for which nodes are reserved.
[[nodiscard]] inline bool is_held_with_gang(const ask &a) {
  return a.placeholder && reservation_of_gang(*a.owner) != nullptr;
}

// True if one of them is for this ask: one that came later has none.
[[nodiscard]] inline bool has_one_of_gang(const ask &a) {
  const std::vector<reservation *> &all = a.owner->reservations;
  return std::any_of(all.begin(), all.end(), [&](const reservation *r) { return r->of_gang && r->of == &a; });
}

// The reservation of the ask that has a timer: its own, or the first one for its gang. Null: there is none.
[[nodiscard]] inline reservation *timed_reservation_of(const ask &a) {
  reservation *own = reservation_of(a);
  return own != nullptr ? own : reservation_of_gang(*a.owner);
}

// The ask that claims what is freed for this one: the first of its gang where nodes are reserved for that, for all of
// it; else the ask itself.
template <class Ask>
[[nodiscard]] Ask &claimant_of(Ask &a) {
  return is_held_with_gang(a) ? *reservation_of_gang(*a.owner)->of : a;
}

// True if the reservation is the ask's own, or one of its gang.
[[nodiscard]] inline bool is_for(const reservation &r, const ask &a) {
  return r.of == &a || (r.of_gang && a.placeholder && r.of->owner == a.owner);
}

}  // namespace tenon::internal
