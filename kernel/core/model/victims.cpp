// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "model/victims.hpp"

#include <algorithm>

namespace tenon::internal {

bool has_guarantee(const queue &leaf, const ask_class &c) {
  for (const queue *q = &leaf; q != nullptr; q = q->parent) {
    const auto says = [&](const class_amount &p) { return q->guaranteed.has(p.type); };
    if (std::any_of(c.positive.begin(), c.positive.end(), says)) return true;
  }
  return false;
}

bool stays_above_max(const queue &q) {
  bool out = false;
  for_each_type(q.max, [&](type_index t, int64_t most) { out |= staying_in(q, t) > most; });
  return out;
}

bool is_spared(const queue &leaf) {
  const queue *q = &leaf;
  while (!q->managed && !q->has_preemption_policy && q->parent != nullptr) q = q->parent;
  return q->spared;
}

double dominant_share(const resources &amounts, const resources &total) {
  double largest = 0;
  for_each_type(amounts, [&](type_index t, int64_t amount) {
    if (amount > 0) largest = std::max(largest, share_of(amount, total[t]));
  });
  return largest;
}

bool gives_way_before(const allocation &a, const allocation &b) {
  if (const auto x = lowest_victim_level(a), y = lowest_victim_level(b); x != y) return x < y;
  if (a.create_time_ms != b.create_time_ms) return a.create_time_ms > b.create_time_ms;
  if (a.bind_time_ms != b.bind_time_ms) return a.bind_time_ms > b.bind_time_ms;
  if (const int order = a.key().compare(b.key()); order != 0) return order < 0;
  if (const int order = a.owner->id.compare(b.owner->id); order != 0) return order < 0;
  return a.sequence > b.sequence;
}

}  // namespace tenon::internal
