// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Victims: who may have others give way, who does, and in which order.
#pragma once

#include <cstdint>

#include "model/ask_class.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

// The guarantee of the leaf, or of a queue above it, says something of a type that the class needs.
[[nodiscard]] bool has_guarantee(const queue &leaf, const ask_class &c);
// To somebody, that is: it is not meant to stay. Nor is it on its way out.
[[nodiscard]] inline bool would_give_way(const allocation &x) { return !x.foreign && x.preempt_self && !x.bound; }
[[nodiscard]] inline bool may_give_way(const allocation &x) {
  return x.state == allocation_state::allocated && would_give_way(x);
}
// It gives way already, or its time is over: what it holds is free as soon as the resource manager confirms that.
[[nodiscard]] inline bool is_ending(const allocation &x) {
  return x.state == allocation_state::preempting || x.state == allocation_state::expiring;
}
// A reservation of the ask waited too long: what is ending may never end.
[[nodiscard]] inline bool has_waited(const ask &a) { return a.wait != nullptr && a.wait->reserve_from_ms != INT64_MIN; }
// What is allocated in the queue and stays.
[[nodiscard]] inline int64_t staying_in(const queue &q, type_index t) {
  return sub_saturating(sub_saturating(q.allocated[t], q.preempting[t]), q.expiring[t]);
}
// More stays in the queue than its max.
[[nodiscard]] bool stays_above_max(const queue &q);
// What is in it gives way to nobody.
[[nodiscard]] bool is_spared(const queue &leaf);
// The level of victims: the highest place of one among victims by opting out, originator and priority alone, and in the
// last bits how many gangs break with one of that place. The first of these counts most.
using victim_rank = int64_t;
// Returns the level of the allocation if no gang breaks.
[[nodiscard]] inline victim_rank lowest_victim_level(const allocation &x) {
  constexpr int for_gangs = 24;
  return (int64_t{!x.preempt_self} << (33 + for_gangs)) + (int64_t{x.originator} << (32 + for_gangs)) +
         int64_t{x.priority} * (int64_t{1} << for_gangs);
}
// Returns the level of the allocation as the only victim.
[[nodiscard]] inline victim_rank victim_level(const allocation &x) {
  return lowest_victim_level(x) + (x.gang != nullptr && x.gang->can_spare() == 0 ? 1 : 0);
}
// Of a node, or of several: none of them has more. The amounts are by type.
struct victim_summary {
  const int64_t *free;
  const int64_t *sum;      // of what may give way; INT64_MAX: that much, or more
  const int64_t *largest;  // no allocation that may give way holds more
  victim_rank lowest;      // none is on a lower level
};
// What the amount, above 0, is of the total: all of it where there is nothing.
[[nodiscard]] inline double share_of(int64_t amount, int64_t total) {
  return total <= 0 ? 1.0 : static_cast<double>(amount) / static_cast<double>(total);
}
// The largest share that the amounts are of the total, by type.
[[nodiscard]] double dominant_share(const resources &amounts, const resources &total);
// The one that gives way first is before the other, whatever their gangs need.
[[nodiscard]] bool gives_way_before(const allocation &a, const allocation &b);

}  // namespace tenon::internal
