// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Explainer: who goes before an ask, and who is left out by an order.
#include <optional>
#include <utility>

#include "explain/explain_text.hpp"
#include "explain/explainer.hpp"
#include "model/gang_start.hpp"
#include "model/may_run.hpp"
#include "model/queue_headroom.hpp"
#include "model/queue_properties.hpp"
#include "queueing/fresh_keys.hpp"
#include "rules/headroom.hpp"

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

// The order of the asks of a leaf, by keys of now.
class explainer::turn_order {
 public:
  explicit turn_order(fresh_keys::keys_of<application> of) : keys_(std::move(of)) {}

  [[nodiscard]] bool is_held_back(const application &app) const { return keys_.at(&app).held_back(); }
  bool operator()(const application &a, const application &b) const {
    const int sorted = keys_.at(&a).compare(keys_.at(&b));
    return sorted < 0 || (sorted == 0 && a.submission < b.submission);
  }
  bool operator()(const ask &a, const ask &b) const {
    return a.owner == b.owner ? tried_before(a, b) : (*this)(*a.owner, *b.owner);
  }

 private:
  fresh_keys::keys_of<application> keys_;
};

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
      const bool is_before = own_reservation == nullptr || r->sequence < own_reservation->sequence;
      if (!r->of_gang && is_before) count += r->of->pending();
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
  const turn_order in_turn(keys.of_applications(*app.home));
  for (const application *rival : app.home->apps) {
    if (rival == &app || rival->pending->empty() || in_turn.is_held_back(*rival)) continue;
    if (in_turn(*rival, app)) count += tried_in(*rival);
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

// Of the asks that have their turns in the leaf and are within their limits, the first that has too little headroom
// (docs/decisions.md, section 7); null: none is.
const ask *explainer::first_beyond_headroom(const queue &leaf, const turn_order &in_turn) const {
  const ask *first = nullptr;
  for (application *app : leaf.apps) {
    if (!app->runs() || in_turn.is_held_back(*app) || !reached_maxapplications(*app).is_none()) continue;
    const auto look_at = [&](const ask &a, const ask_class &c) {
      type_index type = no_type;
      if (first != nullptr && in_turn(*first, a)) return;
      if (!holds_when_empty(leaf, c.positive)) return;
      if (reached_amount(*app, c).is_none() && headroom::full_queue(a, c, type) != nullptr) first = &a;
    };
    const bool gang_waits = waits_to_begin(*app, classes);
    const ask *front = gang_waits && gang_has_come(*app, classes) ? front_of_gang(*app) : nullptr;
    if (front != nullptr && counts_as_one(*app, classes)) look_at(*front, class_of_gang(*app, classes));
    for (const ask *a : app->asks) {  // any order: the first in theirs is looked for
      const bool has_turn = a->line == ask_line::run || a->line == ask_line::refused;
      if (!has_turn || waits_for_placeholders(*a) || (a->placeholder && gang_waits)) continue;
      look_at(*a, classes[a->class_id]);
    }
  }
  return first;
}

// By one that is before it in a leaf that keeps the order.
void explainer::explain_kept_order(const ask &a, explanation &out) const {
  queue &leaf = *a.owner->home;
  const std::optional<int64_t> after_ms = keeps_order_after_ms(leaf, config.tuning);
  const reservation *on_a_node = reservation_of(a);
  if (!after_ms || (on_a_node != nullptr && on_a_node->way == way_to_room::preemption)) return;
  const turn_order in_turn(keys.of_applications(leaf));
  const ask *first = first_beyond_headroom(leaf, in_turn);
  if (first == nullptr || !in_turn(*first, a)) return;
  if (shared.now_ms < add_saturating(first->create_time_ms, *after_ms)) return;
  const bool whole = a.placeholder && waits_to_begin(*a.owner, classes);
  if (whole && first->placeholder && first->owner == a.owner) return;  // it is part of the first
  const resources need = whole ? need_of_gang(*a.owner, classes) : classes[a.class_id].need;
  const kept_back by = kept_back_by(needs_in_order(*first, classes), leaf, need,
                                    [&](const queue &q, type_index t) { return headroom_for(q, *first, t); });
  if (by.in == nullptr) return;
  const std::string who = first->owner->id + "/" + std::string(first->key.view());
  obstacle &o = add_obstacle(out, obstacle_kind::kept_order, who);
  o.queue = leaf.path;
  o.type = types.name(by.type);
}

}  // namespace tenon::internal
