// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The objects of a partition and how they hang together. All of them belong to one partition's writer.
//
//   queue (leaf) ------------> leaf_class --heap--> app_class --run--> ask --> allocation --> node
//                                  ^                   |
//   application -------------------+--- groups --------+
//        |
//        +--task_groups--> task_group --> placeholders, and the real asks that wait for them
//
// A leaf_class is all pending asks of one ask_class in one leaf: it is runnable or parked on one thing.
#pragma once

#include "model/allocation.hpp"
#include "model/application.hpp"
#include "model/ask.hpp"
#include "model/leaf_class.hpp"
#include "model/node.hpp"
#include "model/queue.hpp"
#include "model/usage.hpp"

namespace tenon::internal {

inline bool queue::may_empty_for(const application &app) const {
  if (!priority_sort) return emptying.empty();
  for (const reservation *r : emptying) {
    if (r->of->priority >= app.priority) return false;
  }
  return true;
}
inline bool queue::one_waits_for_another_to_empty() const {
  return !wait_for_cluster.empty() && may_empty_for(*wait_for_cluster.top()->ready.top()->owner);
}
inline bool queue::has_ready() const {
  // Whose key is not known yet may be the first to wait for a node to empty.
  const bool one_may = !wait_for_cluster.empty() && !dirty_apps.empty();
  if (leaf) return !ready_classes.empty() || !limited.empty() || one_may || one_waits_for_another_to_empty();
  return ready != nullptr && !ready->empty();
}

}  // namespace tenon::internal
