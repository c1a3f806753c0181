// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "queueing/limit_lines.hpp"

#include <boost/container_hash/hash.hpp>
#include <utility>

#include "model/may_run.hpp"
#include "model/queue_turns.hpp"
#include "queueing/ready_index.hpp"

namespace tenon::internal {
namespace {

// Lines whose groups wait for a maxapplications of a queue alone hold applications of all users.
line_terms terms_of(const application &app, const reached_limit &by) {
  line_terms out;
  out.needs_queue_place = needs_queue_place(app);
  if (by.in != nullptr) return out;
  out.user = app.user_usage;
  out.group = app.group_usage;
  out.needs_limit_place = needs_limit_place(app);
  return out;
}

// True if the limit has as much free capacity as a group of the line needs.
bool has_room(const reached_limit &limit) {
  if (limit.in != nullptr) return !is_full_of_applications(*limit.in);
  const usage_node &u = *limit.of;
  if (limit.type == no_type) return !is_full_of_applications(u);
  return !u.max.has(limit.type) || limit.amount <= sub_saturating(u.max[limit.type], u.usage[limit.type]);
}

}  // namespace

size_t limit_lines::line_hash::operator()(const line_id &id) const {
  size_t out = (id.terms.needs_queue_place ? 1U : 0U) + (id.terms.needs_limit_place ? 2U : 0U);
  boost::hash_combine(out, id.unit);
  boost::hash_combine(out, id.terms.user);
  boost::hash_combine(out, id.terms.group);
  return out;
}

// -- A limit is reached. --

bool limit_lines::hold_back(app_class &g) {
  const reached_limit by = reached_maxapplications(*g.owner);
  if (!by.is_none()) park(g, by);
  return !by.is_none();
}

void limit_lines::park(app_class &g, const reached_limit &by) {
  ready.make_unready(g);
  const line_terms terms = terms_of(*g.owner, by);
  auto &slot = lines_[{g.unit, terms}];
  const bool is_new = slot == nullptr;
  if (is_new) {
    slot = std::make_unique<limit_line>();
    slot->unit = g.unit;
    slot->terms = terms;
  }
  limit_line &l = *slot;
  g.line = &l;
  l.groups.push(&g);
  if (is_new) return close(l, by);
  if (l.state == line_state::open) l.unit->leaf->limited.update(&l);
}

void limit_lines::stop_waiting(application &app) {
  for (app_class *g : app.classes) {
    if (g->line != nullptr) leave(*g);
  }
}

void limit_lines::look_again_at(application &app) {
  for (app_class *g : app.classes) {
    if (g->line == nullptr) continue;
    leave(*g);
    ready.make_ready(*g);
  }
}

// -- The line of a group. --

void limit_lines::leave(app_class &g) {
  limit_line &l = *std::exchange(g.line, nullptr);
  const bool is_last = l.groups.size() == 1;
  if (is_last) take_out(l);
  l.groups.erase(&g);
  if (is_last) {
    lines_.erase(line_id{l.unit, l.terms});
  } else if (l.state == line_state::open) {
    l.unit->leaf->limited.update(&l);
  }
}

void limit_lines::order_changed(app_class &g) {
  limit_line &l = *g.line;
  l.groups.update(&g);
  if (l.state == line_state::open) l.unit->leaf->limited.update(&l);
}

// -- The limit has free capacity. --

reached_limit limit_lines::reached_by(const limit_line &l) const {
  const application &app = *l.groups.top()->owner;
  if (l.terms.user == nullptr) return {full_queue_of(app)};
  const reached_limit by = reached_maxapplications(app);
  return by.is_none() ? reached_amount(app, classes[l.unit->class_id]) : by;
}

void limit_lines::room_rose(usage_node &u) {
  look_again(u.held);
  for (size_t t = 0; t < u.parked.size(); ++t) look_again(u.parked[t]);
}

// A line for which this limit has room may wait for another one now, maybe in another heap of the same user.
void limit_lines::look_again(closed_lines &lines) {
  std::vector<limit_line *> let_go;
  while (!lines.empty() && has_room(lines.top()->closed_by)) {
    let_go.push_back(lines.top());
    lines.erase(lines.top());
  }
  for (limit_line *l : let_go) {
    const reached_limit by = reached_by(*l);
    by.is_none() ? open(*l) : close(*l, by);
  }
}

void limit_lines::let_go_first(queue &leaf) {
  while (!leaf.limited.empty()) {
    limit_line &l = *leaf.limited.top();
    app_class &first = *l.groups.top();
    const app_class_before comes_before;
    const leaf_class &unit = *l.unit;
    const bool is_parked = unit.parked != parking::none && !waits_for_cluster(unit);
    if (const reached_limit by = reached_by(l); !by.is_none()) {
      take_out(l);
      close(l, by);
    } else if (!leaf.ready_classes.empty() && comes_before(*leaf.ready_classes.top()->ready.top(), first)) {
      return;
    } else if (is_parked && leaf.kept_order == nullptr) {
      set_aside(l);
    } else {
      leave(first);
      ready.make_ready(first);
    }
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

closed_lines &limit_lines::closed_beside(const reached_limit &by) {
  if (by.in != nullptr) return by.in->held;
  usage_node &u = *by.of;
  if (by.type == no_type) return u.held;
  if (u.parked.size() <= by.type) u.parked.resize(by.type + 1);
  return u.parked[by.type];
}

void limit_lines::open(limit_line &l) {
  queue &leaf = *l.unit->leaf;
  l.state = line_state::open;
  leaf.limited.push(&l);
  if (leaf.limited.size() == 1) ready.queue_became_ready(leaf);
}

void limit_lines::close(limit_line &l, const reached_limit &by) {
  l.state = line_state::closed;
  l.closed_by = by;
  closed_beside(by).push(&l);
}

void limit_lines::set_aside(limit_line &l) {
  take_out(l);
  l.state = line_state::aside;
  aside_[l.unit].push_back(&l);
}

void limit_lines::take_out(limit_line &l) {
  switch (l.state) {
    case line_state::closed:
      return closed_beside(l.closed_by).erase(&l);
    case line_state::open: {
      queue &leaf = *l.unit->leaf;
      leaf.limited.erase(&l);
      if (!has_ready(leaf)) ready.queue_became_unready(leaf);
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
