// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// May run: what keeps an application from running, beside its own state, and asks from being placed on whatever node.
#pragma once

#include "model/ask_class.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

// The queue whose maxapplications holds the application; null: none does, or it is counted already.
[[nodiscard]] inline queue *full_queue_of(const application &app) {
  if (app.counted || app.state != application_state::accepted) return nullptr;
  for (queue *q = app.home; q != nullptr; q = q->parent) {
    if (q->max_applications != 0 && q->running_apps >= q->max_applications) return q;
  }
  return nullptr;
}

// The limit whose maxapplications holds the application; null: none does, or it has its place already.
[[nodiscard]] inline usage_node *full_limit_of(const application &app) {
  if (app.place != limit_place::none) return nullptr;
  for (usage_node *start : {app.user_usage, app.group_usage}) {
    for (usage_node *u = start; u != nullptr; u = u->parent) {
      if (u->max_applications != 0 && u->running->size() >= u->max_applications) return u;
    }
  }
  return nullptr;
}

[[nodiscard]] inline bool in_stopped_queue(const application &app) {
  for (const queue *q = app.home; q != nullptr; q = q->parent) {
    if (q->state == object_state::stopped) return true;
  }
  return false;
}

// The first queue on the path, the leaf first, and type whose headroom is below the need; null: it fits. `total`: of
// all nodes, the root's max.
[[nodiscard]] inline queue *blocking_queue(queue &leaf, const ask_class &c, const resources &total, type_index &type) {
  queue *q = &leaf;
  for (; q->parent != nullptr; q = q->parent) {
    for (const class_amount &p : c.positive) {
      if (q->max.has(p.type) && p.amount > sub_saturating(q->max[p.type], q->allocated[p.type])) {
        type = p.type;
        return q;
      }
    }
  }
  for (const class_amount &p : c.positive) {
    if (p.amount > sub_saturating(total[p.type], q->allocated[p.type])) {
      type = p.type;
      return q;
    }
  }
  return nullptr;
}

}  // namespace tenon::internal
