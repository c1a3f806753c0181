// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ready/limit_lines.hpp"

#include <boost/container_hash/hash.hpp>
#include <utility>

#include "model/may_run.hpp"
#include "ready/ready_index.hpp"

namespace tenon::internal {

size_t limit_lines::line_hash::operator()(const line_id &id) const {
  size_t out = id.type;
  boost::hash_combine(out, id.unit);
  boost::hash_combine(out, id.full_queue);
  boost::hash_combine(out, id.full_limit);
  return out;
}

// -- Who is kept back. --

bool limit_lines::hold_back(application &app) {
  queue *full = full_queue_of(app);
  usage_node *full_limit = full == nullptr ? full_limit_of(app) : nullptr;
  if (full == nullptr && full_limit == nullptr) return false;
  ready.hold(app);
  app.held_by = full;
  app.held_by_limit = full_limit;
  ready.let_go(app);
  return true;
}

void limit_lines::stop_waiting(application &app) {
  if (!app.held()) return;
  ready.hold(app);
  app.held_by = nullptr;
  app.held_by_limit = nullptr;
}

void limit_lines::park(app_class &g, usage_node &full, type_index t) {
  ready.make_unready(g);
  join(g, nullptr, &full, t);
}

void limit_lines::forget_limits_of(application &app) {
  if (app.held_by_limit != nullptr) stop_waiting(app);
  for (app_class *g : app.classes) {
    if (g->line != nullptr && g->line->full_limit != nullptr) leave(*g);
  }
}

// -- The line of a group. --

bool limit_lines::join(app_class &g) {
  const application &app = *g.owner;
  if (app.held()) join(g, app.held_by, app.held_by_limit, no_type);
  return app.held();
}

void limit_lines::join(app_class &g, queue *full_queue, usage_node *full_limit, type_index t) {
  auto &slot = lines_[{g.unit, full_queue, full_limit, t}];
  const bool is_new = slot == nullptr;
  if (is_new) {
    slot = std::make_unique<limit_line>();
    slot->unit = g.unit;
    slot->full_queue = full_queue;
    slot->full_limit = full_limit;
    slot->type = t;
    if (t != no_type) slot->amount = classes[g.unit->class_id].need[t];
  }
  limit_line &l = *slot;
  g.line = &l;
  l.groups.push(&g);
  if (is_new) return has_room(l) ? open(l) : close(l);
  if (l.state == line_state::open) g.unit->leaf->limited.update(&l);
}

void limit_lines::leave(app_class &g) {
  limit_line &l = *std::exchange(g.line, nullptr);
  const bool is_last = l.groups.size() == 1;
  if (is_last) take_out(l);
  l.groups.erase(&g);
  if (!is_last) {
    if (l.state == line_state::open) l.unit->leaf->limited.update(&l);
    return;
  }
  lines_.erase(line_id{l.unit, l.full_queue, l.full_limit, l.type});
}

void limit_lines::order_changed(app_class &g) {
  limit_line &l = *g.line;
  l.groups.update(&g);
  if (l.state == line_state::open) l.unit->leaf->limited.update(&l);
}

// -- There is room. --

void limit_lines::room_rose(usage_node &u) {
  open_while_room(u.held);
  for (closed_lines &lines : u.parked) open_while_room(lines);
}

void limit_lines::open_while_room(closed_lines &lines) {
  while (!lines.empty() && has_room(*lines.top())) {
    limit_line &l = *lines.top();
    lines.erase(&l);
    open(l);
  }
}

void limit_lines::let_go_first(queue &leaf) {
  while (!leaf.limited.empty()) {
    limit_line &l = *leaf.limited.top();
    app_class &first = *l.groups.top();
    if (!has_room(l)) {
      take_out(l);
      close(l);
    } else if (!leaf.ready_classes.empty() && app_class_before{}(*leaf.ready_classes.top()->ready.top(), first)) {
      return;
    } else if (l.unit->parked != parking::none && !waits_for_cluster(*l.unit) && leaf.kept_order == nullptr) {
      take_out(l);
      l.state = line_state::aside;
      aside_[l.unit].push_back(&l);
    } else {
      let_go(first);
    }
  }
}

void limit_lines::let_go(app_class &g) {
  application &app = *g.owner;
  if (app.held()) {
    stop_waiting(app);
    ready.let_go(app);
  } else {
    leave(g);
    ready.make_ready(g);
  }
}

void limit_lines::open_all_of(leaf_class &u) {
  const auto found = aside_.find(&u);
  if (found == aside_.end()) return;
  const std::vector<limit_line *> lines = std::move(found->second);
  aside_.erase(found);
  for (limit_line *l : lines) open(*l);
}

// -- Where a line is. --

closed_lines &limit_lines::closed_beside(const limit_line &l) {
  if (l.full_queue != nullptr) return l.full_queue->held;
  usage_node &u = *l.full_limit;
  if (l.type == no_type) return u.held;
  if (u.parked.size() <= l.type) u.parked.resize(l.type + 1);
  return u.parked[l.type];
}

void limit_lines::open(limit_line &l) {
  queue &leaf = *l.unit->leaf;
  l.state = line_state::open;
  leaf.limited.push(&l);
  if (leaf.limited.size() == 1) ready.queue_became_ready(leaf);
}

void limit_lines::close(limit_line &l) {
  l.state = line_state::closed;
  closed_beside(l).push(&l);
}

void limit_lines::take_out(limit_line &l) {
  switch (l.state) {
    case line_state::closed:
      return closed_beside(l).erase(&l);
    case line_state::open: {
      queue &leaf = *l.unit->leaf;
      leaf.limited.erase(&l);
      if (!leaf.has_ready()) ready.queue_became_unready(leaf);
      return;
    }
    case line_state::aside: {
      const auto found = aside_.find(l.unit);
      std::erase(found->second, &l);
      if (found->second.empty()) aside_.erase(found);
    }
  }
}

}  // namespace tenon::internal
