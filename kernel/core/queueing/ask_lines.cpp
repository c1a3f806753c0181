// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "queueing/ask_lines.hpp"

#include <algorithm>
#include <utility>

#include "ledger/change_writer.hpp"
#include "model/gang_reservations.hpp"
#include "model/gang_start.hpp"
#include "queueing/ask_alarms.hpp"
#include "queueing/gang_turns.hpp"
#include "queueing/kept_orders.hpp"
#include "queueing/queue_priorities.hpp"
#include "queueing/ready_index.hpp"
#include "queueing/reserved_line.hpp"
#include "queueing/rule_ports.hpp"
#include "queueing/sort_keys.hpp"

namespace tenon::internal {

void ask_lines::enqueue(ask &a) {
  join_line(a);
  a.owner->priorities.add(a.priority);
  set_priority(*a.owner);
}

void ask_lines::dequeue(ask &a) {
  if (a.line == ask_line::none) return;
  leave_line(a);
  a.owner->priorities.remove(a.priority);
  set_priority(*a.owner);
}

// Its application keeps its priority meanwhile, and with that its place in the order.
void ask_lines::line_up_again(ask &a) {
  leave_line(a);
  join_line(a);
}

void ask_lines::join_line(ask &a) {
  if (waits_for_placeholders(a)) {
    changes.apply(ask_lined_up{a, ask_line::placeholders, nullptr});
    a.gang->waiting.insert(&a);
    gangs.changed(*a.gang, true);
  } else if (const reservation *r = reservation_of(a); r == nullptr) {
    a.placeholder ? join_run_with_gang(a) : join_run(a);
  } else if (r->by_order) {
    join_run(a, r->way == way_to_room::preemption ? unit_kind::reserved : unit_kind::waits_in_order);
  } else {
    changes.apply(ask_lined_up{a, ask_line::reserved, nullptr});
    reserved.join(a);
  }
  count_emptying(a, true);
}

// A gang that begins whole has its turn at its first placeholder, and does not wait with other asks of that class.
void ask_lines::join_run_with_gang(ask &a) {
  application &app = *a.owner;
  const unit_kind held = is_freed_for_gang(app) ? unit_kind::reserved : unit_kind::waits_in_order;
  const unit_kind alone = begins_whole(app) ? unit_kind::preempts : unit_kind::plain;
  join_run(a, is_held_with_gang(a) ? held : alone);
  orders.gang_changed(app);
  if (alone == unit_kind::plain) return;
  const auto first =
      std::find_if(app.refused.begin(), app.refused.end(), [](const ask *other) { return other->placeholder; });
  if (first != app.refused.end() && tried_before(**first, a)) line_up_again(**first);
}

void ask_lines::leave_line(ask &a) {
  application &app = *a.owner;
  count_emptying(a, false);
  switch (a.line) {
    case ask_line::none:
      return;
    case ask_line::run:
      leave_run(a);
      break;
    case ask_line::placeholders:
      a.gang->waiting.erase(&a);
      gangs.changed(*a.gang, false);
      break;
    case ask_line::reserved:
      reserved.leave(a);
      break;
    case ask_line::refused:
      app.refused.erase(&a);
      orders.forget(a);
      std::erase(refused_, &a);
      if (app.refused.empty()) ready.forget_gang(app);
      break;
  }
  changes.apply(ask_lined_up{a, ask_line::none, nullptr});
}

// The RM refused it everywhere: waits until something changes for the RM.
void ask_lines::wait_as_refused(ask &a) {
  leave_line(a);
  changes.apply(ask_lined_up{a, ask_line::refused, nullptr});
  a.owner->refused.insert(&a);
  orders.watch(a);
  count_emptying(a, true);
  alarms.set(a);
}

// Nodes are reserved for all of it now, or not any more.
void ask_lines::line_up_gang(application &app) {
  for (ask *a : app.asks) {  // any order: each has its place by itself
    if (a->placeholder && (a->line == ask_line::run || a->line == ask_line::refused)) line_up_again(*a);
  }
}

void ask_lines::wake_gang(application &app) {
  const std::vector<ask *> waiting(app.refused.begin(), app.refused.end());
  for (ask *a : waiting) {
    if (a->placeholder) line_up_again(*a);
  }
}

namespace {

uint32_t hash_of(const application &app, unit_id which) {
  const uint64_t both =
      uint64_t{app.index} << 34 ^ uint64_t { which.class_id } << 3 ^ static_cast<uint64_t>(which.kind);
  return static_cast<uint32_t>(both * 0x9e3779b97f4a7c15 >> 32);
}

}  // namespace

// A group goes with the last of its asks, except the one that was used last: the next ask is often alike.
app_class &ask_lines::group_for(application &app, unit_id which) {
  app_class *last = app.last_group;
  if (last != nullptr && last->unit->id() == which) return *last;
  if (last != nullptr && last->empty()) drop(*last);
  const uint32_t hash = hash_of(app, which);
  const uint32_t found = by_unit_.find(hash, [&](uint32_t index) {
    const app_class &g = groups[index];
    return g.owner == &app && g.unit->id() == which;
  });
  if (found != number_table::none) {
    app.last_group = &groups[found];
  } else {
    app_class &g = groups.create();
    g.owner = &app;
    g.unit = &ready.join_unit(*app.home, which);
    g.slot = static_cast<uint32_t>(app.classes.size());
    app.classes.push_back(&g);
    by_unit_.insert(hash, g.index);
    app.last_group = &g;
  }
  return *app.last_group;
}

void ask_lines::drop(app_class &g) {
  application &app = *g.owner;
  app.classes[g.slot] = app.classes.back();
  app.classes[g.slot]->slot = g.slot;
  app.classes.pop_back();
  give_up(g);
}

void ask_lines::give_up(app_class &g) {
  by_unit_.erase(hash_of(*g.owner, g.unit->id()), g.index);
  ready.leave_unit(*g.unit);
  groups.retire(g);
}

void ask_lines::give_up_groups(application &app) {
  for (app_class *g : app.classes) {
    ready.forget(*g);
    give_up(*g);
  }
  app.classes.clear();
  app.last_group = nullptr;
}

void ask_lines::join_run(ask &a, unit_kind kind) {
  app_class &g = group_for(*a.owner, {a.class_id, kind});
  changes.apply(ask_lined_up{a, ask_line::run, &g});
  const ask *before = g.empty() ? nullptr : g.first();
  g.run.insert(&a);
  if (before == nullptr) {
    ready.make_ready(g);
  } else if (g.first() != before) {
    ready.first_changed(g);
  }
  alarms.join(a, *g.unit);
}

void ask_lines::leave_run(ask &a) {
  app_class &g = *a.group;
  alarms.leave(a);
  const bool first = g.first() == &a;
  if (first && g.run.size() == 1) ready.make_unready(g);
  g.run.erase(&a);
  if (first && !g.empty()) ready.first_changed(g);
  if (!g.empty()) return;
  ready.forget(g);
  if (&g != a.owner->last_group) drop(g);
}

void ask_lines::move_to(ask &a, unit_kind kind) {
  leave_run(a);
  join_run(a, kind);
}

void ask_lines::wake_refused() {
  if (!refused_.empty()) {
    for (ask *a : std::exchange(refused_, {})) line_up_again(*a);
  }
  reserved.wake_refused();
}

void ask_lines::count_emptying(const ask &a, bool in) {
  reservation *r = reservation_of(a);
  if (r == nullptr || r->way != way_to_room::it_empties) return;
  if (a.line != ask_line::none && a.line != ask_line::placeholders) ready.node_empties(*r, in);
}

void ask_lines::set_priority(application &app) {
  const int32_t highest = app.priorities.highest();
  if (highest == app.priority) return;
  queue &leaf = *app.home;
  queue_priorities::count(leaf, app.priority, highest);
  app.priority = highest;
  keys.priority_changed(app);
  ready.priority_changed(leaf);
  priorities.refresh(leaf);
}

}  // namespace tenon::internal
