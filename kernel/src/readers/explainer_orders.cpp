// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Explainer: who goes before an ask, and who is left out by an order.
#include <algorithm>

#include "readers/explain_text.hpp"
#include "readers/explainer.hpp"
#include "ready/fresh_keys.hpp"

namespace tenon::internal {
namespace {

// What pass C of a cycle would look at.
int64_t tried_in(const application &app) {
  if (!app.runs()) return 0;
  int64_t count = 0;
  for (const ask *a : app.asks) {  // any order: a sum
    count += a->line == ask_line::run || a->line == ask_line::refused ? a->pending() : 0;
  }
  return count;
}

int64_t tried_below(const queue &q) {
  if (q.state == object_state::stopped) return 0;
  int64_t count = 0;
  for (const application *app : q.apps) count += tried_in(*app);
  for (const auto &child : q.children) count += tried_below(*child);
  return count;
}

}  // namespace

uint64_t explainer::count_before_in_gangs(const ask &a) const {
  int64_t count = 0;
  for (const application *app : applications.by_submission()) {
    if (app->submission > a.owner->submission) break;
    if (!app->runs() || app->gang.stuck) continue;
    for (const task_group *g : app->gang.in_play) {
      for (const ask *other : g->waiting) {
        if (app != a.owner || tried_before(*other, a)) count += other->pending();
      }
    }
  }
  return static_cast<uint64_t>(count);
}

// Pending allocations that the cycle would try before the ask's next one: those with a reservation, then what stands
// before it in the orders of queues, applications and asks. What policies hold back is not before it.
uint64_t explainer::count_before(const ask &a) const {
  const application &app = *a.owner;
  int64_t count = 0;
  const reservation *own_reservation = reservation_of(a);
  for (const auto &[id, n] : nodes.by_id()) {
    for (const reservation *r : n->reservations) {
      if (own_reservation == nullptr || r->sequence < own_reservation->sequence) count += r->of->pending();
    }
  }
  if (own_reservation != nullptr) return static_cast<uint64_t>(count);
  for (queue *q = app.home; q->parent != nullptr; q = q->parent) {
    const auto fresh = keys.of_children(*q->parent);
    const sort_key &own = fresh.at(q);
    for (const auto &rival : q->parent->children) {
      const sort_key &key = fresh.at(rival.get());
      if (rival.get() == q || rival->pending->empty() || key.held_back()) continue;
      const int sorted = key.compare(own);
      if (sorted < 0 || (sorted == 0 && rival->sequence < q->sequence)) count += tried_below(*rival);
    }
  }
  const auto fresh = keys.of_applications(*app.home);
  const sort_key &own = fresh.at(&app);
  for (const application *rival : app.home->apps) {
    const sort_key &key = fresh.at(rival);
    if (rival == &app || rival->pending->empty() || key.held_back()) continue;
    const int sorted = key.compare(own);
    if (sorted < 0 || (sorted == 0 && rival->submission < app.submission)) count += tried_in(*rival);
  }
  for (const ask *other : app.asks) {  // any order: a sum
    const bool tried = other->line == ask_line::run || other->line == ask_line::refused;
    if (tried && tried_before(*other, a)) count += other->pending();
  }
  return static_cast<uint64_t>(count);
}

// Policies that hold back the application or a queue above it.
void explainer::explain_orders(const application &app, explanation &out) const {
  const auto held = [&](const sort_key &key, const queue &in, const std::string &who) {
    if (!key.held_back()) return;
    obstacle &o = add_obstacle(out, obstacle_kind::held_back, who);
    o.queue = in.path;
    o.policy = in.order->bound->name;
    o.until_ms = key.not_before_ms == TENON_NOT_NOW ? 0 : key.not_before_ms;
  };
  held(keys.of_applications(*app.home).at(&app), *app.home, "application " + app.id);
  for (queue *q = app.home; q->parent != nullptr; q = q->parent) {
    held(keys.of_children(*q->parent).at(q), *q->parent, "queue " + q->path);
  }
}

}  // namespace tenon::internal
