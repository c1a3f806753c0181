// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "queueing/ready_index.hpp"

#include <algorithm>
#include <utility>

#include "model/may_run.hpp"
#include "model/node_table.hpp"
#include "model/queue_turns.hpp"
#include "queueing/ask_alarms.hpp"
#include "queueing/ask_lines.hpp"
#include "queueing/kept_orders.hpp"
#include "queueing/limit_lines.hpp"
#include "queueing/reserved_line.hpp"
#include "queueing/rule_ports.hpp"
#include "queueing/sort_keys.hpp"

namespace tenon::internal {
namespace {

void queue_unready(queue &from) {
  for (queue *q = &from; q->parent != nullptr && !has_ready(*q); q = q->parent) {
    if (!q->parent->ready->contains(q)) return;
    q->parent->ready->erase(q);
  }
}

}  // namespace

bool ready_index::empty() const { return root->state == object_state::stopped || !has_ready(*root); }

leaf_class *ready_index::next() {
  queue &top = *root;
  while (!empty()) {
    queue *q = &top;
    while (q != nullptr && !q->leaf) {
      keys.flush(*q);
      q = q->ready->empty() ? nullptr : q->ready->top();
    }
    if (q == nullptr) continue;
    keys.flush(*q);
    if (leaf_class *first = first_of(*q)) return first;
    queue_unready(*q);
  }
  return nullptr;
}

// A node may empty for the first one that waits for what the cluster has left.
leaf_class *ready_index::first_of(queue &leaf) {
  limited.let_go_first(leaf);
  const leaf_class_heap &ready = leaf.ready_classes, &waiting = leaf.wait_for_cluster;
  const bool may_empty = one_may_have_a_node_emptied(leaf);
  if (may_empty && (ready.empty() || leaf_class_before{}(*waiting.top(), *ready.top()))) unpark(*waiting.top());
  return ready.empty() ? nullptr : ready.top();
}

size_t ready_index::unit_place_hash::operator()(const unit_place &place) const {
  const uint64_t which = uint64_t{place.which.class_id} << 3 | static_cast<uint64_t>(place.which.kind);
  uint64_t mixed = (place.leaf->sequence ^ which * 0x9e3779b97f4a7c15) * 0xd6e8feb86659fd93;
  mixed ^= mixed >> 32;
  return mixed * 0x9e3779b97f4a7c15;
}

leaf_class &ready_index::join_unit(queue &leaf, unit_id which) {
  auto &slot = units_[{&leaf, which}];
  if (slot == nullptr) {
    if (spare_units_.empty()) {
      slot = std::make_unique<leaf_class>();
    } else {
      slot = std::move(spare_units_.back());
      spare_units_.pop_back();
    }
    slot->leaf = &leaf;
    slot->class_id = which.class_id;
    slot->kind = which.kind;
  }
  ++slot->groups;
  return *slot;
}

// What it was parked on others of its class and leaf would find anew. Nothing of it is ready: no group has asks.
void ready_index::leave_unit(leaf_class &u) {
  if (--u.groups != 0) return;
  leave_list(u);
  orders.forget(u);
  const auto found = units_.find(unit_place{u.leaf, {u.class_id, u.kind}});
  spare_units_.push_back(std::move(found->second));
  units_.erase(found);
}

leaf_class_heap &ready_index::heap_of(leaf_class &u) {
  return waits_for_cluster(u) ? u.leaf->wait_for_cluster : u.leaf->ready_classes;
}

void ready_index::unit_ready(leaf_class &u) {
  if (u.ready.empty() || (u.parked != parking::none && !waits_for_cluster(u))) return;
  leaf_class_heap &heap = heap_of(u);
  if (heap.contains(&u)) return place_changed(u);
  heap.push(&u);
  if (heap.size() == 1 || waits_for_cluster(u)) queue_became_ready(*u.leaf);
}

void ready_index::unit_unready(leaf_class &u) {
  leaf_class_heap &heap = heap_of(u);
  if (!heap.contains(&u)) return;
  heap.erase(&u);
  queue_unready(*u.leaf);
}

void ready_index::place_changed(leaf_class &u) {
  leaf_class_heap &heap = heap_of(u);
  if (!heap.contains(&u)) return;
  heap.update(&u);
  if (!waits_for_cluster(u)) return;
  queue_unready(*u.leaf);
  queue_became_ready(*u.leaf);
}

void ready_index::node_empties(reservation &r, bool is_so) {
  queue &leaf = *r.of->owner->home;
  std::vector<reservation *> &all = leaf.emptying;
  is_so ? all.push_back(&r) : (void)all.erase(std::find(all.rbegin(), all.rend(), &r).base() - 1);
  is_so ? queue_unready(leaf) : queue_became_ready(leaf);
}

void ready_index::priority_changed(queue &leaf) {
  if (leaf.emptying.empty()) return;
  queue_unready(leaf);
  queue_became_ready(leaf);
}

void ready_index::make_ready(app_class &g) {
  const application &app = *g.owner;
  if (g.empty() || g.parked_on_nodes || !app.runs() || app.key.held_back() || g.position != not_in_heap) return;
  leaf_class &u = *g.unit;
  u.ready.push(&g);
  if (u.slot_in_leaf != not_in_heap && (u.ready.top() == &g || g.owner->key_dirty)) unpark(u);
  unit_ready(u);
}

void ready_index::make_unready(app_class &g) {
  if (g.line != nullptr) return limited.leave(g);
  leaf_class &u = *g.unit;
  if (!u.ready.contains(&g)) return;
  if (u.ready.size() == 1) unit_unready(u);
  const bool first = u.ready.top() == &g;
  u.ready.erase(&g);
  place_changed(u);
  if (first && u.slot_in_leaf != not_in_heap) unpark(u);
}

void ready_index::order_changed(app_class &g) {
  if (g.line != nullptr) return limited.order_changed(g);
  leaf_class &u = *g.unit;
  if (!u.ready.contains(&g)) return;
  u.ready.update(&g);
  place_changed(u);
}

void ready_index::first_changed(app_class &g) {
  leaf_class &u = *g.unit;
  if (g.line != nullptr || !u.ready.contains(&g) || u.ready.top() != &g) return;
  place_changed(u);
  if (u.slot_in_leaf != not_in_heap) unpark(u);
}

void ready_index::hold(application &app) {
  for (app_class *g : app.classes) make_unready(*g);
}

void ready_index::let_go(application &app) {
  for (app_class *g : app.classes) make_ready(*g);
}

std::vector<parked_unit *> &ready_index::list_of(const parked_unit &u) {
  if (u.parked == parking::other_places) return gangs_;
  ask_class &c = classes[u.class_id];
  return u.parked == parking::nodes ? c.parked : c.parked_to_reserve;
}

void ready_index::join_list(parked_unit &u) {
  auto &list = list_of(u);
  u.parked_slot = list.size();
  list.push_back(&u);
}

void ready_index::wait_in(parked_unit &u, queue &full, type_index t, int64_t amount) {
  u.parked = parking::queue_headroom;
  u.parked_queue = &full;
  u.parked_type = t;
  u.parked_amount = amount;
  if (full.parked.size() <= t) full.parked.resize(t + 1);
  full.parked[t].push(&u);
}

void ready_index::park_on_queue(leaf_class &u, queue &full, type_index t, int64_t amount) {
  unit_unready(u);
  wait_in(u, full, t, amount);
  if (full.parent != nullptr) orders.parked(u);
  unit_ready(u);
  alarms.set_all(u);
}

void ready_index::park_on_cluster(leaf_class &u, type_index t) {
  orders.watch(u);
  park_on_queue(u, *root, t, classes[u.class_id].need[t]);
}

parked_unit &ready_index::unit_of_gang(application &app) {
  forget_gang(app);
  app.whole_gang = std::make_unique<parked_unit>();
  app.whole_gang->gang = &app;
  app.whole_gang->leaf = app.home;
  return *app.whole_gang;
}

void ready_index::park_gang(application &app, queue &full, type_index t, int64_t amount) {
  parked_unit &u = unit_of_gang(app);
  wait_in(u, full, t, amount);
  if (full.parent != nullptr) orders.parked(u);
}

void ready_index::park_gang_on_places(application &app) {
  parked_unit &u = unit_of_gang(app);
  u.parked = parking::other_places;
  join_list(u);
}

void ready_index::forget_gang(application &app) {
  if (app.whole_gang == nullptr) return;
  leave_list(*app.whole_gang);
  app.whole_gang = nullptr;
}

void ready_index::park_on_nodes(leaf_class &u, bool may_reserve) {
  unit_unready(u);
  u.parked = may_reserve ? parking::reservable_nodes : parking::nodes;
  join_list(u);
  orders.watch(u);
  alarms.set_all(u);
}

void ready_index::park_beside_reserved(leaf_class &u, queue &crowded) {
  park_on_nodes(u, false);
  u.parked_queue = &crowded;
  crowded.beside_reserved.push_back(&u);
}

void ready_index::park_on_nodes(app_class &g) {
  make_unready(g);
  g.parked_on_nodes = true;
  classes[g.unit->class_id].parked_groups.push_back(&g);
  orders.watch(*g.unit);
  alarms.set_all(*g.unit);
}

void ready_index::leave_list(parked_unit &u) {
  if (u.parked == parking::none) return;
  orders.unparked(u);
  if (u.parked == parking::queue_headroom) {
    if (u.gang == nullptr) unit_unready(static_cast<leaf_class &>(u));
    u.parked_queue->parked[u.parked_type].erase(&u);
  } else {
    if (u.parked_queue != nullptr) std::erase(u.parked_queue->beside_reserved, &u);
    auto &list = list_of(u);
    list[u.parked_slot] = list.back();
    list[u.parked_slot]->parked_slot = u.parked_slot;
    list.pop_back();
    if (u.gang == nullptr) forget_if_unused(classes[u.class_id]);
  }
  u.parked = parking::none;
  u.parked_queue = nullptr;
}

// Nothing waits for a node that holds the class: nodes that change need not look at it.
void ready_index::forget_if_unused(ask_class &c) {
  const bool is_used =
      !c.parked.empty() || !c.parked_to_reserve.empty() || !c.parked_groups.empty() || !c.reserved.empty();
  if (!is_used && !c.gangs_wait) unblock(c);
}

// What waits for the class stays where it is.
void ready_index::unblock(ask_class &c) {
  if (!c.blocked) return;
  c.blocked = c.unreservable = false;
  if (c.requires_a_node()) {
    std::erase(blocked_for_a_node_, &c);
  } else {
    blocked_.remove(c);
  }
}

void ready_index::unpark(parked_unit &u) {
  if (u.parked == parking::none) return;
  leave_list(u);
  if (u.gang != nullptr) return lines.wake_gang(*u.gang);
  leaf_class &unit = static_cast<leaf_class &>(u);
  unit_ready(unit);
  limited.unparked(unit);
}

void ready_index::forget(queue &q) {
  queue_became_unready(q);
  for (const auto &[class_id, unit] : q.reserved) std::erase(unit->shape->reserved, unit.get());
}

void ready_index::forget(app_class &g) {
  if (std::exchange(g.parked_on_nodes, false)) std::erase(classes[g.unit->class_id].parked_groups, &g);
  if (g.line != nullptr) limited.leave(g);
}

// The queue has runnable work: it enters its parent's heap, and so on up.
void ready_index::queue_became_ready(queue &from) {
  for (queue *q = &from; q->parent != nullptr; q = q->parent) {
    queue &parent = *q->parent;
    if (parent.ready->contains(q) || !has_ready(*q) || q->state == object_state::stopped) return;
    if (q->key_dirty) parent.dirty_children.push_back(q);
    if (q->key.held_back()) {
      if (q->key_dirty) keys.mark_stale(parent);
      return;
    }
    const bool first = parent.ready->empty();
    parent.ready->push(q);
    if (!first) return;
  }
}

void ready_index::queue_became_unready(queue &q) {
  if (q.parent != nullptr && q.parent->ready->contains(&q)) {
    q.parent->ready->erase(&q);
    queue_unready(*q.parent);
  }
}

}  // namespace tenon::internal
