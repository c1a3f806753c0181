// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "queueing/queue_priorities.hpp"

#include <algorithm>

#include "queueing/sort_keys.hpp"

namespace tenon::internal {

void queue_priorities::count(queue &in, int32_t before, int32_t now) {
  if (before != INT32_MIN) in.priorities.remove(before);
  if (now != INT32_MIN) in.priorities.add(now);
}

void queue_priorities::refresh(queue &q) {
  int32_t highest = q.priorities.highest();
  if (highest != INT32_MIN) {
    highest =
        q.priority_rule == priority_policy::fence
            ? q.priority_offset
            : static_cast<int32_t>(std::clamp<int64_t>(int64_t{highest} + q.priority_offset, INT32_MIN, INT32_MAX));
  }
  if (highest == q.priority) return;
  if (q.parent != nullptr) count(*q.parent, q.priority, highest);
  q.priority = highest;
  keys_.changed(q, column::priority);
  if (q.parent != nullptr) refresh(*q.parent);
}

void queue_priorities::refresh_all(queue &q) {
  for (const auto &child : q.children) refresh_all(*child);
  refresh(q);
}

}  // namespace tenon::internal
