// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Queue turns: whether a queue has anything that may have its turn in a decision.
#pragma once

#include "model/objects.hpp"

namespace tenon::internal {

// Whether a node may empty for an ask of the application, though others empty already for asks of its leaf: where these
// have a lower priority (docs/decisions-preemption.md, section 2).
[[nodiscard]] inline bool may_empty_for(const application &app) {
  const queue &leaf = *app.home;
  if (!leaf.priority_sort) return leaf.emptying.empty();
  for (const reservation *r : leaf.emptying) {
    if (r->of->priority >= app.priority) return false;
  }
  return true;
}
// Whether that is so for the first application of the leaf that waits for a node to empty.
[[nodiscard]] inline bool one_may_have_a_node_emptied(const queue &leaf) {
  return !leaf.wait_for_cluster.empty() && may_empty_for(*leaf.wait_for_cluster.top()->ready.top()->owner);
}
[[nodiscard]] inline bool has_ready(const queue &q) {
  if (!q.leaf) return q.ready != nullptr && !q.ready->empty();
  if (!q.ready_classes.empty() || !q.limited.empty()) return true;
  // An application whose key is not known yet may become the first that waits for a node to empty.
  return !q.wait_for_cluster.empty() && (!q.dirty_apps.empty() || one_may_have_a_node_emptied(q));
}

}  // namespace tenon::internal
