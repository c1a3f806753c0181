// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which of the allocations that make room for an ask are needed: docs/decisions-preemption.md, sections 3 and 4.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "model/victims.hpp"

namespace tenon::internal {

// Counts victims by their gangs.
class gang_members {
 public:
  void add(const allocation &x) {
    if (x.gang != nullptr) ++counted_[x.gang];
  }
  // As many of its gang were counted as the gang can spare. It needs no others once one more is gone.
  [[nodiscard]] bool breaks_with(const allocation &x) const {
    if (x.gang == nullptr) return false;
    const auto found = counted_.find(x.gang);
    return x.gang->can_spare() == (found == counted_.end() ? 0 : found->second);
  }

 private:
  boost::unordered_flat_map<const task_group *, int64_t> counted_;
};

template <class Victim>
void sort_victims(std::vector<Victim> &all) {
  std::sort(all.begin(), all.end(), [](const Victim &a, const Victim &b) { return gives_way_before(*a, *b); });
}

// The level of victims that go together. Requires that there is one.
template <class Victim>
[[nodiscard]] victim_rank level_of(const std::vector<Victim> &all) {
  victim_rank out = INT64_MIN;
  bool some_gang = false;
  for (const Victim &v : all) {
    out = std::max(out, lowest_victim_level(*v));
    some_gang |= (*v).gang != nullptr;
  }
  if (!some_gang) return out;
  // Of a gang that loses too many it is one on the gang's highest level that is needed.
  std::vector<const Victim *> in_order;
  for (const Victim &v : all) in_order.push_back(&v);
  std::sort(in_order.begin(), in_order.end(),
            [](const Victim *a, const Victim *b) { return lowest_victim_level(**a) < lowest_victim_level(**b); });
  gang_members going;
  const victim_rank highest = out;
  for (const Victim *v : in_order) {
    if (lowest_victim_level(**v) == highest && going.breaks_with(**v)) ++out;
    going.add(**v);
  }
  return out;
}

// Looks at candidates in turn until `ends_at(v)` says so of the next one. `first()` is the first in victim order that
// is left, or null, and `pass()` goes on behind it. `look(v)` returns whether the candidate is taken, as those in
// `taken` were before. One that breaks its gang comes after the others on its level; then the rest of that gang is
// next.
template <class Victim, class First, class Pass, class Ends, class Look>
void look_in_turn(const std::vector<Victim> &taken, const First &first, const Pass &pass, const Ends &ends_at,
                  const Look &look) {
  gang_members gone;
  for (const Victim &v : taken) gone.add(*v);
  const auto takes = [&](const Victim &v) {
    if (!look(v)) return false;
    gone.add(*v);
    return true;
  };
  std::vector<Victim> breaking;  // all on one level
  for (size_t next = 0;;) {
    const Victim *v = first();
    const bool is_breaking =
        next < breaking.size() && (v == nullptr || lowest_victim_level(**v) > lowest_victim_level(*breaking[next]));
    if (is_breaking) v = &breaking[next++];
    if (v == nullptr || ends_at(*v)) return;
    const Victim one = *v;
    if (!is_breaking) {
      pass();
      gone.breaks_with(*one) ? breaking.push_back(one) : static_cast<void>(takes(one));
    } else if (takes(one)) {
      const auto goes_too = [&](const Victim &other) {
        return (*other).gang == (*one).gang && !ends_at(other) && (takes(other), true);
      };
      breaking.erase(std::remove_if(breaking.begin() + static_cast<ptrdiff_t>(next), breaking.end(), goes_too),
                     breaking.end());
    }
  }
}

// The same with candidates in victim order.
template <class Victim, class Ends, class Look>
void look_in_turn(const std::vector<Victim> &taken, const std::vector<Victim> &candidates, const Ends &ends_at,
                  const Look &look) {
  size_t next = 0;
  look_in_turn(
      taken, [&] { return next < candidates.size() ? &candidates[next] : nullptr; }, [&] { ++next; }, ends_at, look);
}

// Puts each victim back, the largest first, of equals the last of `taken`, without which the others are enough. Those
// that are left are in the order in which they give way. `give(v, -1)` takes again what a victim gave, `give(v, 1)`
// gives it back.
template <class Victim, class Give, class Enough, class Share>
void put_needless_back(std::vector<Victim> &taken, const Give &give, const Enough &enough, const Share &share) {
  std::vector<std::pair<double, size_t>> in_turn;  // shares, and places in `taken`
  for (const Victim &v : taken) in_turn.emplace_back(share(v), in_turn.size());
  std::sort(in_turn.rbegin(), in_turn.rend());
  std::vector<Victim> needed;
  for (const auto &[size, place] : in_turn) {
    give(taken[place], -1);
    if (enough()) continue;
    give(taken[place], 1);
    needed.push_back(taken[place]);
  }
  taken.swap(needed);
  sort_victims(taken);
}

// Leaves in `taken` the victims that are needed. `looked_at` are candidates in victim order.
// One of them on the levels of `taken` that is enough alone replaces all of `taken`. Otherwise each victim is put back,
// the largest first, without which the others are enough. `give(v, 1)` gives back what a victim holds, `give(v, -1)`
// takes that again. `may(v)` and `enough()` judge by what is given back then.
template <class Victim, class Give, class May, class Enough, class Share>
void keep_needed(std::vector<Victim> &taken, std::span<const Victim> looked_at, const Give &give, const May &may,
                 const Enough &enough, const Share &share) {
  for (const Victim &v : taken) give(v, -1);
  const victim_rank highest = level_of(taken);
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
