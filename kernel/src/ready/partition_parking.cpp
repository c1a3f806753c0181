// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What waits for what. A unit (all asks of one class in one leaf) is in its leaf's heap or parked on one
// thing; a group (its asks in one application) is in its unit's heap unless its application is held or a
// limit parks it. Nothing parked is looked at before what it waits for changes, or time gives it another chance
// (partition_waiting.cpp).
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

leaf_class &partition::unit_of(queue &leaf, uint32_t class_id, unit_kind kind) {
  auto &slot = leaf.classes[{class_id, kind}];
  if (slot == nullptr) {
    slot = std::make_unique<leaf_class>();
    slot->leaf = &leaf;
    slot->class_id = class_id;
    slot->kind = kind;
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

std::vector<parked_unit *> &partition::list_of(const parked_unit &u) {
  if (u.parked == parking::queue_headroom) return u.parked_queue->parked[u.parked_type];
  ask_class &c = classes[u.class_id];
  return u.parked == parking::nodes ? c.parked : c.parked_mature;
}

void partition::join_list(parked_unit &u) {
  auto &list = list_of(u);
  u.parked_slot = list.size();
  list.push_back(&u);
}

void partition::park_on_queue(parked_unit &u, queue &q, type_index t) {
  if (!u.reserved) unit_unready(static_cast<leaf_class &>(u));
  u.parked = parking::queue_headroom;
  u.parked_queue = &q;
  u.parked_type = t;
  if (q.parked.size() <= t) q.parked.resize(t + 1);
  join_list(u);
  if (u.reserved) {
    refresh(static_cast<reserved_unit &>(u));
  } else {
    set_alarms(static_cast<leaf_class &>(u));
  }
}

void partition::park_on_nodes(leaf_class &u, bool may_reserve) {
  unit_unready(u);
  u.parked = may_reserve ? parking::reservable_nodes : parking::nodes;
  join_list(u);
  set_alarms(u);
}

void partition::unpark(parked_unit &u) {
  if (u.parked == parking::none) return;
  auto &list = list_of(u);
  list[u.parked_slot] = list.back();
  list[u.parked_slot]->parked_slot = u.parked_slot;
  list.pop_back();
  u.parked = parking::none;
  u.parked_queue = nullptr;
  if (u.reserved) {
    refresh(static_cast<reserved_unit &>(u));
  } else {
    unit_ready(static_cast<leaf_class &>(u));
  }
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
  for (reserved_unit *u : c.reserved) refresh(*u);
}

// A class that requires the node has its turn as soon as the node could hold it: it may be reserved then.
void partition::wake_for_node(node &n) {
  for (reservation *r : n.reservations) look_again(*r);
  for (size_t i = blocked_classes.size(); i-- > 0;) {
    ask_class &c = *blocked_classes[i];
    if (!c.required_node.empty()) {
      if (c.required_node == n.id && holds(n, c) && passes(c, n.slot)) wake_class(c);
    } else if (!nodes.open(n.slot)) {
      continue;
    } else if (nodes.holds(c, n.slot) && passes(c, n.slot)) {
      wake_class(c);
    } else if (c.unreservable && n.reservations.empty() && holds(n, c) && passes(c, n.slot)) {
      c.unreservable = false;
      while (!c.parked_mature.empty()) unpark(*c.parked_mature.back());
    }
  }
  const auto stuck_here = [](const allocation *a) { return a->placeholder && a->owner->gang_stuck; };
  const auto kept_here = [](const reservation *r) { return r->of->owner->gang_stuck; };
  if (!stuck_gangs.empty() && (std::any_of(n.allocations.begin(), n.allocations.end(), stuck_here) ||
                               std::any_of(n.reservations.begin(), n.reservations.end(), kept_here))) {
    wake_gangs();
  }
  wake_refused();
}

void partition::wake_class(ask_class &c) {
  if (!c.blocked) return;
  c.blocked = c.unreservable = false;
  std::erase(blocked_classes, &c);
  for (auto *list : {&c.parked, &c.parked_mature}) {
    while (!list->empty()) unpark(*list->back());
  }
  for (reserved_unit *u : c.reserved) refresh(*u);
  if (std::exchange(c.gangs_wait, false)) wake_gangs();
}

void partition::wake_held(queue &q) {
  std::vector<application *> waiting;
  waiting.swap(q.held_apps);
  for (application *app : waiting) {
    app->held_by = nullptr;
    let_go(*app);
    refresh_reservations(*app);
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
  std::vector<reservation *> reserved;
  reserved.swap(u.parked_reservations);
  for (reservation *r : reserved) {
    r->parked_on = nullptr;
    refresh(*r);
  }
  if (u.max_applications != 0 && u.running.size() >= u.max_applications) return;
  std::vector<application *> held;
  held.swap(u.held);
  for (application *app : held) {
    app->held_by_limit = nullptr;
    let_go(*app);
    refresh_reservations(*app);
  }
}

void partition::wake_refused() {
  std::vector<ask *> waiting;
  waiting.swap(refused_by_rm);
  for (ask *a : waiting) {
    dequeue(*a);
    enqueue(*a);
  }
  std::vector<reservation *> reserved;
  reserved.swap(refused_reservations);
  for (reservation *r : reserved) {
    r->refused = false;
    look_again(*r);
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
