// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the ready index makes ready again when something changed that asks wait for.
#include <algorithm>
#include <utility>

#include "model/node_table.hpp"
#include "queueing/ask_lines.hpp"
#include "queueing/gang_turns.hpp"
#include "queueing/limit_lines.hpp"
#include "queueing/node_fitness.hpp"
#include "queueing/ready_index.hpp"
#include "queueing/reserved_line.hpp"

namespace tenon::internal {

int64_t ready_index::headroom_in(const queue &q, type_index t) const {
  if (q.parent == nullptr) return nodes.free_together(t);
  return q.max.has(t) ? sub_saturating(q.max[t], add_saturating(q.allocated[t], q.awaited[t])) : INT64_MAX;
}

void ready_index::wake_headroom(queue &q) {
  reserved.wake_full();
  lines.wake_refused();  // gangs that wait to begin
  unpark_within(q);
}

void ready_index::let_go_before(const ask &a) {
  for (const awaited_part &p : a.wait->awaited) unpark_within(*p.in, p.kept);
}

// Asks that fit into the headroom and `more` have their turns.
void ready_index::unpark_within(queue &q, const resources &more) {
  for (type_index t = 0; t < q.parked.size(); ++t) {
    headroom_line &line = q.parked[t];
    if (line.empty()) continue;
    const int64_t room = add_saturating(headroom_in(q, t), more[t]);
    while (!line.empty() && line.top()->parked_amount <= room) unpark(*line.top());
  }
  for (parked_unit *u : std::vector<parked_unit *>(q.beside_reserved)) {
    const std::vector<class_amount> &need = classes[u->class_id].positive;
    const bool may_fit = std::all_of(need.begin(), need.end(), [&](const class_amount &p) {
      return p.amount <= add_saturating(headroom_in(q, p.type), more[p.type]);
    });
    if (may_fit) unpark(*u);
  }
}

void ready_index::wake_all_below(queue &q) {
  reserved.wake_full();
  for (headroom_line &line : q.parked) {
    while (!line.empty()) unpark(*line.top());
  }
  while (!q.beside_reserved.empty()) unpark(*q.beside_reserved.back());
  limited.room_rose(q);
  for (const auto &child : q.children) wake_all_below(*child);
}

void ready_index::block(ask_class &c) {
  c.blocked = true;
  if (c.requires_a_node()) {
    blocked_for_a_node_.push_back(&c);
  } else {
    blocked_.add(c);
  }
  for (reserved_unit *u : c.reserved) reserved.refresh(*u);
}

void ready_index::block_reserving(ask_class &c) {
  c.unreservable = true;
  unreservable_.push_back(&c);
}

// A class that requires the node has its turn as soon as the node could hold it: it may be reserved then.
void ready_index::wake_for_node(node &n) {
  reserved.look_again(n);
  unpark_within(*root);
  if (std::exchange(most_nodes_, reserved.most_nodes()) < most_nodes_) {
    for (ask_class &c : classes.all()) wake_groups(c);
  }
  for (size_t i = blocked_for_a_node_.size(); i-- > 0;) {
    ask_class &c = *blocked_for_a_node_[i];
    if (c.required_node == n.id && fitness.may_fit_empty(n, c)) wake_class(c);
  }
  if (nodes.open(n.slot)) {
    blocked_.for_each_that_may_fit(nodes.free(n.slot), nodes.stride(), [&](ask_class &c) {
      if (fitness.may_fit_now(n, c)) wake_class(c);
    });
    wake_to_reserve(n);
  }
  gangs.wake_on(n);
  lines.wake_refused();
}

void ready_index::wake_for_places() {
  while (!gangs_.empty()) unpark(*gangs_.back());
}

void ready_index::wake_to_reserve(node &n) {
  for (size_t i = unreservable_.size(); i-- > 0;) {
    ask_class &c = *unreservable_[i];
    if (c.unreservable && !(n.reservations->empty() && fitness.may_fit_empty(n, c))) continue;
    unreservable_[i] = unreservable_.back();
    unreservable_.pop_back();
    if (!std::exchange(c.unreservable, false)) continue;
    while (!c.parked_to_reserve.empty()) unpark(*c.parked_to_reserve.back());
  }
}

void ready_index::wake_class(ask_class &c) {
  if (!c.blocked) return;
  unblock(c);
  for (auto *list : {&c.parked, &c.parked_to_reserve}) {
    while (!list->empty()) unpark(*list->back());
  }
  wake_groups(c);
  for (reserved_unit *u : c.reserved) reserved.refresh(*u);
  if (std::exchange(c.gangs_wait, false)) gangs.wake_stuck();
}

void ready_index::wake_groups(ask_class &c) {
  for (app_class *g : std::exchange(c.parked_groups, {})) {
    g->parked_on_nodes = false;
    make_ready(*g);
  }
}

void ready_index::wake_parked_groups(application &app) {
  for (app_class *g : app.classes) {
    if (!g->parked_on_nodes) continue;
    forget(*g);
    make_ready(*g);
  }
}

void ready_index::wake_beside_reserved(application &app) {
  for (queue *q = app.home; q->parent != nullptr; q = q->parent) unpark_within(*q);
}

void ready_index::wake_blocked() {
  while (!blocked_.empty()) wake_class(blocked_.last());
  while (!blocked_for_a_node_.empty()) wake_class(*blocked_for_a_node_.back());
  std::erase_if(unreservable_, [](const ask_class *c) { return !c->unreservable; });
  lines.wake_refused();
}

void ready_index::wake_judged() {
  wake_blocked();
  for (const auto &[id, n] : nodes.by_id()) reserved.look_again(*n);
  gangs.wake_stuck();
}

}  // namespace tenon::internal
