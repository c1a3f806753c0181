// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// May run: what keeps an application from running, beside its own state.
#pragma once

#include "model/ask_class.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

[[nodiscard]] inline bool is_full_of_applications(const queue &q) {
  return q.max_applications != 0 && q.running_apps >= q.max_applications;
}
[[nodiscard]] inline bool is_full_of_applications(const usage_node &u) {
  return u.max_applications != 0 && u.running->size() >= u.max_applications;
}

// The queue on its path in which as many applications run as may; null: there is none.
[[nodiscard]] inline queue *full_queue_on_path_of(const application &app) {
  for (queue *q = app.home; q != nullptr; q = q->parent) {
    if (is_full_of_applications(*q)) return q;
  }
  return nullptr;
}

[[nodiscard]] inline bool needs_queue_place(const application &app) {
  return !app.counted && app.state == application_state::accepted;
}
[[nodiscard]] inline bool needs_limit_place(const application &app) { return app.place == limit_place::none; }

// The queue whose maxapplications holds the application; null: none does, or it is counted already.
[[nodiscard]] inline queue *full_queue_of(const application &app) {
  return needs_queue_place(app) ? full_queue_on_path_of(app) : nullptr;
}

// The limit whose maxapplications holds the application; null: none does, or it has its place already.
[[nodiscard]] inline usage_node *full_limit_of(const application &app) {
  if (!needs_limit_place(app)) return nullptr;
  for (usage_node *start : {app.user_usage, app.group_usage}) {
    for (usage_node *u = start; u != nullptr; u = u->parent) {
      if (is_full_of_applications(*u)) return u;
    }
  }
  return nullptr;
}

// The maxapplications that keeps the application from running, if there is one.
[[nodiscard]] inline reached_limit reached_maxapplications(const application &app) {
  reached_limit out{full_queue_of(app)};
  if (out.in == nullptr) out.of = full_limit_of(app);
  return out;
}

// The amount of a user or group that one more ask of the class exceeds, if there is one.
[[nodiscard]] inline reached_limit reached_amount(const application &app, const ask_class &c) {
  for (usage_node *start : {app.user_usage, app.group_usage}) {
    for (usage_node *u = start; u != nullptr; u = u->parent) {
      if (u->max.empty()) continue;
      for (const class_amount &p : c.positive) {
        if (u->max.has(p.type) && p.amount > u->max[p.type] - u->usage[p.type]) return {nullptr, u, p.type, p.amount};
      }
    }
  }
  return {};
}

// A unit that is parked on what all nodes have free together may still have its turn (ready_index).
[[nodiscard]] inline bool waits_for_cluster(const parked_unit &u) {
  return u.parked == parking::queue_headroom && u.parked_queue->parent == nullptr;
}

[[nodiscard]] inline bool in_stopped_queue(const application &app) {
  for (const queue *q = app.home; q != nullptr; q = q->parent) {
    if (q->state == object_state::stopped) return true;
  }
  return false;
}

}  // namespace tenon::internal
