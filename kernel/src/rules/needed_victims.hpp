// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which of the allocations that make room for an ask are needed: docs/decisions-preemption.md, sections 3 and 4.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "model/victims.hpp"

namespace tenon::internal {

// The level of the victim that gives way last. Requires that there is one.
template <class Victim>
[[nodiscard]] victim_rank highest_level(const std::vector<Victim> &all) {
  victim_rank out = victim_level(*all.front());
  for (const Victim &v : all) out = std::max(out, victim_level(*v));
  return out;
}

// Leaves in `taken` the victims that are needed. `looked_at` are the candidates in the order in which they give way.
// One of them on the levels of `taken` that is enough alone replaces all of `taken`. Otherwise each victim is put back,
// the largest first, without which the others are enough. `give(v, 1)` gives back what a victim holds, `give(v, -1)`
// takes that again. `may(v)` and `enough()` judge by what is given back then.
template <class Victim, class Give, class May, class Enough, class Share>
void keep_needed(std::vector<Victim> &taken, std::span<const Victim> looked_at, const Give &give, const May &may,
                 const Enough &enough, const Share &share) {
  for (const Victim &v : taken) give(v, -1);
  const victim_rank highest = highest_level(taken);
  const Victim *best = nullptr;
  double least = 0;
  for (const Victim &v : looked_at) {
    const victim_rank level = victim_level(*v);
    if (level > highest || (best != nullptr && level > victim_level(**best))) break;
    if (best != nullptr && ((*v).class_id == (**best).class_id || share(v) >= least)) continue;
    if (!may(v)) continue;
    give(v, 1);
    const bool is_enough = enough();
    give(v, -1);
    if (!is_enough) continue;
    best = &v;
    least = share(v);
  }
  if (best != nullptr) {
    taken.assign(1, *best);
    return give(*best, 1);
  }
  for (const Victim &v : taken) give(v, 1);
  std::sort(taken.begin(), taken.end(), [&](const Victim &a, const Victim &b) {
    const double of_a = share(a), of_b = share(b);
    return of_a != of_b ? of_a > of_b : gives_way_before(*b, *a);
  });
  std::erase_if(taken, [&](const Victim &v) {
    give(v, -1);
    if (enough()) return true;
    give(v, 1);
    return false;
  });
  std::sort(taken.begin(), taken.end(), [](const Victim &a, const Victim &b) { return gives_way_before(*a, *b); });
}

}  // namespace tenon::internal
