// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which of the allocations that make room for an ask are needed: docs/decisions-preemption.md, sections 3 and 4.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <span>
#include <utility>
#include <vector>

#include "model/victims.hpp"

namespace tenon::internal {

// Counts victims by their gangs.
class gang_members {
 public:
  // Counts one more. Returns true if more of its gang are counted then than the gang can spare.
  bool are_needed_with(const allocation &x) { return x.gang != nullptr && ++counted_[x.gang] > x.gang->can_spare(); }
  void clear() { counted_.clear(); }

 private:
  boost::unordered_flat_map<const task_group *, int64_t> counted_;
};

// The highest level of victims that go together. Requires that there is one.
template <class Victim>
[[nodiscard]] victim_rank highest_level(const std::vector<Victim> &all) {
  victim_rank out = INT64_MIN;
  bool some_gang = false;
  for (const Victim &v : all) {
    out = std::max(out, lowest_victim_level(*v));
    some_gang |= (*v).gang != nullptr;
  }
  if (!some_gang) return out;
  // Of a gang that loses too many it is one on the gang's highest level that is needed.
  gang_members going;
  std::vector<const Victim *> in_order;
  for (const Victim &v : all) in_order.push_back(&v);
  std::sort(in_order.begin(), in_order.end(),
            [](const Victim *a, const Victim *b) { return lowest_victim_level(**a) < lowest_victim_level(**b); });
  for (const Victim *v : in_order) {
    if (going.are_needed_with(**v)) out = std::max(out, lowest_victim_level(**v) + 1);
  }
  return out;
}

// Sorts candidates: the first gives way first. Of each gang those after the first that it can spare are needed: they
// come after the others that are on their level.
template <class Victim>
void sort_candidates(std::vector<Victim> &all) {
  std::sort(all.begin(), all.end(), [](const Victim &a, const Victim &b) { return gives_way_before(*a, *b); });
  if (std::none_of(all.begin(), all.end(), [](const Victim &v) { return (*v).gang != nullptr; })) return;
  gang_members before;
  std::vector<std::pair<victim_rank, Victim>> by_level;
  for (const Victim &v : all) {
    by_level.emplace_back(lowest_victim_level(*v) + (before.are_needed_with(*v) ? 1 : 0), v);
  }
  std::sort(by_level.begin(), by_level.end(), [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first < b.first : gives_way_before(*a.second, *b.second);
  });
  std::transform(by_level.begin(), by_level.end(), all.begin(), [](const auto &one) { return one.second; });
}

// Puts each victim back, the largest first, without which the others are enough. Those that are left are in the order
// in which they give way. `give(v, -1)` takes again what a victim gave, `give(v, 1)` gives it back.
template <class Victim, class Give, class Enough, class Share>
void put_needless_back(std::vector<Victim> &taken, const Give &give, const Enough &enough, const Share &share) {
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
    const victim_rank level = victim_level(*v), most = best != nullptr ? victim_level(**best) : highest;
    if (lowest_victim_level(*v) > most) break;
    if (level > most) continue;
    const bool as_low = best != nullptr && level == most;
    if (as_low && ((*v).class_id == (**best).class_id || share(v) >= least)) continue;
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
  put_needless_back(taken, give, enough, share);
}

}  // namespace tenon::internal
