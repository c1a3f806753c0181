// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Queue headroom: what of a queue's max one ask may have. What preemption frees for a reserved ask is kept for it there
// (docs/decisions-preemption.md), and where a leaf keeps the order of its asks, what the first one needs
// (docs/decisions.md, section 7).
#pragma once

#include <algorithm>
#include <vector>

#include "model/ask_class.hpp"
#include "model/gang_reservations.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

// What is kept in the queue for a reserved ask, or for its gang.
[[nodiscard]] inline int64_t kept_for(const ask &a, const queue &q, type_index type) {
  const ask_wait *wait = claimant_of(a).wait;
  if (wait == nullptr) return 0;
  const auto &own = wait->awaited;
  const auto here = std::find_if(own.begin(), own.end(), [&](const awaited_part &p) { return p.in == &q; });
  return here == own.end() ? 0 : here->kept[type];
}

// Whether an ask may be placed before a reserved one that goes by order, on its node and in its queues.
[[nodiscard]] inline bool may_go_before(const ask &a, const ask &reserved) {
  return a.priority > reserved.priority && a.arrival > reserved.arrival;
}

// What is allocated in the queue, or kept there for asks that this one may not go before.
[[nodiscard]] inline int64_t used_by_others(const queue &q, const ask &a, type_index type) {
  int64_t kept = q.awaited[type];
  if (kept != 0) kept = sub_saturating(kept, kept_for(a, q, type));
  for (const ask *other : q.by_order) {
    if (may_go_before(a, *other)) kept = sub_saturating(kept, kept_for(*other, q, type));
  }
  return add_saturating(q.allocated[type], kept);
}

// INT64_MAX: the queue has no max of the type. Below 0: more is used than that.
[[nodiscard]] inline int64_t headroom_for(const queue &q, const ask &a, type_index type) {
  return q.max.has(type) ? sub_saturating(q.max[type], used_by_others(q, a, type)) : INT64_MAX;
}

// Whether every queue on the path of the leaf, when it is empty, holds so much.
[[nodiscard]] inline bool holds_when_empty(const queue &leaf, const std::vector<class_amount> &need) {
  for (const queue *q = &leaf; q->parent != nullptr; q = q->parent) {
    const auto is_beyond = [&](const class_amount &p) { return q->max.has(p.type) && p.amount > q->max[p.type]; };
    if (std::any_of(need.begin(), need.end(), is_beyond)) return false;
  }
  return true;
}

// Where an ask would take what the first one of its leaf needs.
struct kept_back {
  queue *in = nullptr;  // null: nowhere
  type_index type = no_type;
  int64_t both = 0;  // what the two need of the type
};

// `first`: what the first one needs; `need`: what the one behind needs. `headroom(queue, type)` is that of the first
// one.
template <class Headroom>
[[nodiscard]] kept_back kept_back_by(const std::vector<class_amount> &first, queue &leaf, const resources &need,
                                     Headroom &&headroom) {
  for (queue *q = &leaf; q->parent != nullptr; q = q->parent) {
    for (const class_amount &p : first) {
      const int64_t both = add_saturating(p.amount, need[p.type]);
      if (need[p.type] > 0 && both > headroom(*q, p.type)) return {q, p.type, both};
    }
  }
  return {};
}

}  // namespace tenon::internal
