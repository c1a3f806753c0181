// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What waits for what. A unit (all asks of one class in one leaf) is in its leaf's heap or parked on one
// thing; a group (its asks in one application) is in its unit's heap unless its application is held or a
// limit parks it. Nothing parked is looked at before what it waits for changes.
#include <algorithm>
#include <utility>

#include "partition.hpp"

namespace tenon::internal {
namespace {

void queue_unready(queue &from) {
  for (queue *q = &from; q->parent != nullptr && !q->has_ready(); q = q->parent) {
    if (!q->parent->ready->contains(q)) return;
    q->parent->ready->erase(q);
  }
}

}  // namespace

leaf_class &partition::unit_of(queue &leaf, uint32_t class_id) {
  auto &slot = leaf.classes[class_id];
  if (slot == nullptr) {
    slot = std::make_unique<leaf_class>();
    slot->leaf = &leaf;
    slot->class_id = class_id;
  }
  return *slot;
}

void partition::unit_ready(leaf_class &u) {
  if (u.parked != parking::none || u.ready.empty()) return;
  queue &leaf = *u.leaf;
  if (leaf.ready_classes.contains(&u)) return leaf.ready_classes.update(&u);
  leaf.ready_classes.push(&u);
  if (leaf.ready_classes.size() == 1) queue_became_ready(leaf);
}

void partition::unit_unready(leaf_class &u) {
  queue &leaf = *u.leaf;
  if (!leaf.ready_classes.contains(&u)) return;
  leaf.ready_classes.erase(&u);
  queue_unready(leaf);
}

void partition::make_ready(app_class &g) {
  if (g.empty() || g.parked_on != nullptr || !g.owner->eligible() || g.unit->ready.contains(&g)) return;
  if (g.owner->key_dirty) g.unit->leaf->dirty_apps.push_back(g.owner);
  g.unit->ready.push(&g);
  unit_ready(*g.unit);
}

void partition::make_unready(app_class &g) {
  leaf_class &u = *g.unit;
  if (!u.ready.contains(&g)) return;
  const bool in_leaf = u.leaf->ready_classes.contains(&u);
  if (in_leaf && u.ready.size() == 1) unit_unready(u);
  u.ready.erase(&g);
  if (in_leaf && !u.ready.empty()) u.leaf->ready_classes.update(&u);
}

void partition::order_changed(app_class &g) {
  leaf_class &u = *g.unit;
  if (!u.ready.contains(&g)) return;
  u.ready.update(&g);
  if (u.leaf->ready_classes.contains(&u)) u.leaf->ready_classes.update(&u);
}

void partition::hold(application &app) {
  for (app_class *g : app.classes) make_unready(*g);
}

void partition::let_go(application &app) {
  for (app_class *g : app.classes) make_ready(*g);
}

void partition::park_on_queue(leaf_class &u, queue &q, type_index t) {
  unit_unready(u);
  u.parked = parking::queue_headroom;
  u.parked_queue = &q;
  u.parked_type = t;
  if (q.parked.size() <= t) q.parked.resize(t + 1);
  u.parked_slot = q.parked[t].size();
  q.parked[t].push_back(&u);
}

void partition::park_on_nodes(leaf_class &u) {
  unit_unready(u);
  ask_class &c = classes[u.class_id];
  u.parked = parking::nodes;
  u.parked_slot = c.parked.size();
  c.parked.push_back(&u);
}

void partition::unpark(leaf_class &u) {
  if (u.parked == parking::none) return;
  auto &list = u.parked == parking::nodes ? classes[u.class_id].parked : u.parked_queue->parked[u.parked_type];
  list[u.parked_slot] = list.back();
  list[u.parked_slot]->parked_slot = u.parked_slot;
  list.pop_back();
  u.parked = parking::none;
  u.parked_queue = nullptr;
  unit_ready(u);
}

void partition::wake_headroom(queue &q) {
  const resources &limit = q.parent == nullptr ? total : q.max;
  for (type_index t = 0; t < q.parked.size(); ++t) {
    auto &list = q.parked[t];
    const int64_t room = limit.has(t) ? limit[t] - q.allocated[t] : (q.parent == nullptr ? 0 : INT64_MAX);
    for (size_t i = list.size(); i-- > 0;) {
      if (classes[list[i]->class_id].need[t] <= room) unpark(*list[i]);
    }
  }
}

void partition::wake_all_below(queue &q) {
  for (auto &list : q.parked) {
    while (!list.empty()) unpark(*list.back());
  }
  wake_held(q);
  for (const auto &child : q.children) wake_all_below(*child);
}

void partition::block(ask_class &c) {
  c.blocked = true;
  blocked_classes.push_back(&c);
}

void partition::wake_for_node(const node &n) {
  for (size_t i = blocked_classes.size(); i-- > 0;) {
    ask_class &c = *blocked_classes[i];
    const bool allowed = c.required_node.empty() ? nodes.usable(n.slot) : c.required_node == n.id;
    if (allowed && c.fits(nodes.free(n.slot)) && passes(c, n.slot)) wake_class(c);
  }
  const auto stuck_here = [](const allocation *a) { return a->placeholder && a->owner->gang_stuck; };
  if (!stuck_gangs.empty() && std::any_of(n.allocations.begin(), n.allocations.end(), stuck_here)) wake_gangs();
  wake_refused();
}

void partition::wake_class(ask_class &c) {
  if (!c.blocked) return;
  c.blocked = false;
  std::erase(blocked_classes, &c);
  while (!c.parked.empty()) unpark(*c.parked.back());
  if (std::exchange(c.gangs_wait, false)) wake_gangs();
}

void partition::wake_held(queue &q) {
  std::vector<application *> waiting;
  waiting.swap(q.held_apps);
  for (application *app : waiting) {
    app->held_by = nullptr;
    let_go(*app);
  }
}

void partition::wake_limit(usage_node &u) {
  std::vector<app_class *> waiting;
  waiting.swap(u.parked);
  for (app_class *g : waiting) {
    const type_index t = g->parked_type;
    if (u.max.has(t) && classes[g->unit->class_id].need[t] > u.max[t] - u.usage[t]) {
      u.parked.push_back(g);
      continue;
    }
    g->parked_on = nullptr;
    make_ready(*g);
  }
  if (u.max_applications != 0 && u.running.size() >= u.max_applications) return;
  std::vector<application *> held;
  held.swap(u.held);
  for (application *app : held) {
    app->held_by_limit = nullptr;
    let_go(*app);
  }
}

void partition::wake_refused() {
  std::vector<ask *> waiting;
  waiting.swap(refused_by_rm);
  for (ask *a : waiting) {
    dequeue(*a);
    enqueue(*a);
  }
}

// The queue has runnable work: it enters its parent's heap, and so on up.
void partition::queue_became_ready(queue &from) {
  for (queue *q = &from; q->parent != nullptr; q = q->parent) {
    queue &parent = *q->parent;
    if (parent.ready->contains(q) || !q->has_ready() || q->state == object_state::stopped) return;
    if (q->key_dirty) parent.dirty_children.push_back(q);
    if (q->key.held_back()) {
      if (q->key_dirty) mark_stale(parent);
      return;
    }
    const bool first = parent.ready->empty();
    parent.ready->push(q);
    if (!first) return;
  }
}

void partition::queue_became_unready(queue &q) {
  if (q.parent != nullptr && q.parent->ready->contains(&q)) {
    q.parent->ready->erase(&q);
    queue_unready(*q.parent);
  }
}

}  // namespace tenon::internal
