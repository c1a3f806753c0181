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

bool is_spared(const queue &leaf) {
  const queue *q = &leaf;
  while (!q->managed && !q->has_preemption_policy && q->parent != nullptr) q = q->parent;
  return q->spared;
}

bool gives_way_before(const allocation &a, const allocation &b) {
  if (a.preempt_self != b.preempt_self) return a.preempt_self;
  if (a.originator != b.originator) return !a.originator;
  if (a.priority != b.priority) return a.priority < b.priority;
  if (a.create_time_ms != b.create_time_ms) return a.create_time_ms > b.create_time_ms;
  if (a.bind_time_ms != b.bind_time_ms) return a.bind_time_ms > b.bind_time_ms;
  if (const int order = a.key().compare(b.key()); order != 0) return order < 0;
  if (const int order = a.owner->id.compare(b.owner->id); order != 0) return order < 0;
  return a.sequence > b.sequence;
}

}  // namespace tenon::internal
