// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "queueing/kept_orders.hpp"

#include <algorithm>
#include <utility>

#include "core.hpp"
#include "model/gang_start.hpp"
#include "model/may_run.hpp"
#include "model/queue_headroom.hpp"
#include "model/queue_properties.hpp"
#include "queueing/ask_lines.hpp"
#include "queueing/ready_index.hpp"
#include "queueing/reserved_line.hpp"

namespace tenon::internal {

kept_order *kept_orders::order_of(queue &leaf) const {
  if (!keeps_order_after_ms(leaf, config.tuning)) return nullptr;
  if (leaf.kept_order == nullptr) leaf.kept_order = std::make_unique<kept_order>();
  return leaf.kept_order.get();
}

bool kept_orders::stands_behind(leaf_class &u) {
  queue &leaf = *u.leaf;
  if (leaf.kept_order == nullptr || u.kind == unit_kind::reserved) return false;
  if (wake_watchers(leaf)) return true;
  const kept_order &s = *leaf.kept_order;
  const ask &a = *u.ready.top()->first();
  if (s.first == nullptr || s.from_ms > shared.now_ms || !comes_before(*s.first, a)) return false;
  const bool whole = a.placeholder && waits_to_begin(*a.owner, classes);
  if (whole && s.first->placeholder && s.first->owner == a.owner) return false;  // it is part of the first
  const resources need = whole ? need_of_gang(*a.owner, classes) : classes[u.class_id].need;
  const kept_back by =
      kept_back_by(s.needs, leaf, need, [&](const queue &q, type_index t) { return headroom_for(q, *s.first, t); });
  if (by.in != nullptr) ready.park_on_queue(u, *by.in, by.type, by.both);
  return by.in != nullptr;
}

void kept_orders::park_on_headroom(leaf_class &u, queue &full, type_index t) {
  const ask &a = *u.ready.top()->first();
  if (!is_reserved(u.kind) && look_before(a)) return;
  if (!is_reserved(u.kind)) wait_first(a, u);
  ready.park_on_queue(u, full, t, classes[u.class_id].need[t]);
}

// Returns true if the ask comes before the first one: then all are looked at again before it waits.
bool kept_orders::look_before(const ask &a) {
  queue &leaf = *a.owner->home;
  const kept_order *s = order_of(leaf);
  if (s == nullptr || s->first == nullptr || !comes_before(a, *s->first)) return false;
  if (!holds_when_empty(leaf, needs_in_order(a, classes))) return false;
  look_at_all(leaf);
  return true;
}

void kept_orders::wait_first(const ask &a, const parked_unit &u) {
  queue &leaf = *a.owner->home;
  if (order_of(leaf) == nullptr || leaf.kept_order->first != nullptr) return;
  std::vector<class_amount> needs = needs_in_order(a, classes);
  if (!holds_when_empty(leaf, needs)) return;  // it waits for no headroom that there can be
  kept_order &s = *leaf.kept_order;
  s.first = &a;
  s.unit = &u;
  s.needs = std::move(needs);
  ordered_.push_back(&leaf);
  s.from_ms = add_saturating(a.create_time_ms, *keeps_order_after_ms(leaf, config.tuning));
  for_each_limit(*a.owner, [&](usage_node &at) {
    if (at.max.empty() && at.max_applications == 0) return;
    s.limits.push_back(&at);
    at.first_asks_in.push_back(&leaf);
  });
}

void kept_orders::look_at_all(queue &leaf) {
  kept_order &s = *leaf.kept_order;
  if (std::exchange(s.first, nullptr) != nullptr) std::erase(ordered_, &leaf);
  s.unit = nullptr;
  for (usage_node *limit : std::exchange(s.limits, {})) std::erase(limit->first_asks_in, &leaf);
  while (!s.parked.empty()) ready.unpark(*s.parked.back());
  reserved.wake_refused();
}

void kept_orders::may_change(queue &leaf) {
  if (leaf.kept_order != nullptr && leaf.kept_order->first != nullptr) look_at_all(leaf);
}

void kept_orders::gang_changed(const application &app) {
  const kept_order *s = app.home->kept_order.get();
  if (s != nullptr && s->first != nullptr && s->first->placeholder && s->first->owner == &app) look_at_all(*app.home);
}

// Looks at leaves again whose first asks may not run any more.
void kept_orders::let_pass(usage_node &u) {
  for (queue *leaf : std::vector<queue *>(u.first_asks_in)) {
    const std::vector<class_amount> &need = leaf->kept_order->needs;
    const auto is_beyond = [&](const class_amount &p) {
      return u.max.has(p.type) && p.amount > sub_saturating(u.max[p.type], u.usage[p.type]);
    };
    const bool is_full = u.max_applications != 0 && u.running->size() >= u.max_applications;
    if (is_full || std::any_of(need.begin(), need.end(), is_beyond)) look_at_all(*leaf);
  }
}

void kept_orders::place_taken(const queue &q) {
  for (queue *leaf : std::vector<queue *>(ordered_)) {
    if (lies_below(*leaf, q) && full_queue_of(*leaf->kept_order->first->owner) != nullptr) look_at_all(*leaf);
  }
}

void kept_orders::headroom_fell(const queue &q) {
  for (queue *leaf : std::vector<queue *>(ordered_)) {
    if (lies_below(*leaf, q) && watcher_beyond(*leaf) != nullptr) look_at_all(*leaf);
  }
}

// -- Parked units. --

void kept_orders::parked(parked_unit &u) {
  kept_order *s = order_of(*u.leaf);
  if (s == nullptr) return;
  u.slot_in_leaf = static_cast<uint32_t>(s->parked.size());
  s->parked.push_back(&u);
}

void kept_orders::unparked(parked_unit &u) {
  if (u.slot_in_leaf == not_in_heap) return;
  kept_order &s = *u.leaf->kept_order;
  s.parked.back()->slot_in_leaf = u.slot_in_leaf;
  s.parked[u.slot_in_leaf] = s.parked.back();
  s.parked.pop_back();
  u.slot_in_leaf = not_in_heap;
  if (s.unit == &u) look_at_all(*u.leaf);
}

// -- What waits for something else, and may come to lack headroom. --

void kept_orders::watch(leaf_class &u) {
  kept_order *s = is_reserved(u.kind) ? nullptr : order_of(*u.leaf);
  if (s != nullptr && u.watch == 0) u.watch = add_watcher(*s, classes[u.class_id].positive, {&u, nullptr});
}

// Those that may be first.
void kept_orders::watch(ask &a) {
  const bool waits_with_gang = a.placeholder && waits_to_begin(*a.owner, classes);
  if (waits_with_gang || waits_for_placeholders(a) || reservation_of(a) != nullptr) return;
  watch(a, classes[a.class_id].positive);
}

void kept_orders::watch(ask &a, const std::vector<class_amount> &needs) {
  kept_order *s = order_of(*a.owner->home);
  if (s != nullptr) s->refused[&a] = {add_watcher(*s, needs, {nullptr, &a}), needs};
}

uint64_t kept_orders::add_watcher(kept_order &s, const std::vector<class_amount> &needs, const headroom_watcher &w) {
  for (const class_amount &p : needs) {
    if (s.watchers.size() <= p.type) s.watchers.resize(p.type + 1);
    s.watchers[p.type].emplace(std::pair(p.amount, s.next_number), w);
  }
  return s.next_number++;
}

void kept_orders::remove_watcher(kept_order &s, const std::vector<class_amount> &needs, uint64_t number) {
  for (const class_amount &p : needs) s.watchers[p.type].erase({p.amount, number});
}

void kept_orders::forget(const ask &a) {
  kept_order *s = a.owner->home->kept_order.get();
  if (s == nullptr) return;
  const auto found = s->refused.find(&a);
  if (found == s->refused.end()) return;
  remove_watcher(*s, found->second.needs, found->second.number);
  s->refused.erase(found);
}

// Null: all have the headroom that they need.
const headroom_watcher *kept_orders::watcher_beyond(const queue &leaf) const {
  const auto &watchers = leaf.kept_order->watchers;
  for (type_index t = 0; t < watchers.size(); ++t) {
    if (watchers[t].empty()) continue;
    int64_t room = INT64_MAX;
    for (const queue *q = &leaf; q->parent != nullptr; q = q->parent) room = std::min(room, ready.headroom_in(*q, t));
    if (watchers[t].rbegin()->first.first > room) return &watchers[t].rbegin()->second;
  }
  return nullptr;
}

void kept_orders::forget(leaf_class &u) {
  if (u.watch == 0) return;
  remove_watcher(*u.leaf->kept_order, classes[u.class_id].positive, std::exchange(u.watch, 0));
}

// True: some of them have too little headroom now, and have their turns.
bool kept_orders::wake_watchers(queue &leaf) {
  bool out = false;
  while (const headroom_watcher *one = watcher_beyond(leaf)) {
    wake(*one);
    out = true;
  }
  return out;
}

void kept_orders::wake(const headroom_watcher w) {
  if (w.refused != nullptr) return lines.line_up_again(*w.refused);
  leaf_class &u = *w.unit;
  forget(u);
  ready.unpark(u);
  std::vector<app_class *> &parked = classes[u.class_id].parked_groups;
  const auto own =
      std::stable_partition(parked.begin(), parked.end(), [&](const app_class *g) { return g->unit != &u; });
  const std::vector<app_class *> woken(own, parked.end());
  parked.erase(own, parked.end());
  for (app_class *g : woken) {
    g->parked_on_nodes = false;
    ready.make_ready(*g);
  }
}

}  // namespace tenon::internal
