// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ready/ask_lines.hpp"

#include <algorithm>

#include "ledger/change_writer.hpp"
#include "ready/ask_alarms.hpp"
#include "ready/queue_priorities.hpp"
#include "ready/ready_index.hpp"
#include "ready/reserved_line.hpp"
#include "ready/rule_ports.hpp"
#include "ready/sort_keys.hpp"

namespace tenon::internal {

void ask_lines::enqueue(ask &a) {
  if (waits_for_placeholders(a)) {
    changes.apply(ask_lined_up{a, ask_line::placeholders, nullptr});
    a.gang->waiting.insert(&a);
    placeholders.changed(*a.gang, true);
  } else if (const reservation *r = reservation_of(a); r != nullptr && !r->by_order) {
    changes.apply(ask_lined_up{a, ask_line::reserved, nullptr});
    reserved.join(a);
  } else {
    join_run(a);
  }
  if (a.priority > a.owner->priority) set_priority(*a.owner, a.priority);
}

void ask_lines::dequeue(ask &a) {
  application &app = *a.owner;
  const ask_run *rest = nullptr;
  switch (a.line) {
    case ask_line::none:
      return;
    case ask_line::run:
      rest = &a.group->run;
      leave_run(a);
      break;
    case ask_line::placeholders:
      rest = &a.gang->waiting;
      a.gang->waiting.erase(&a);
      placeholders.changed(*a.gang, false);
      break;
    case ask_line::reserved:
      rest = &app.reserved;
      reserved.leave(a);
      break;
    case ask_line::refused:
      rest = &app.refused;
      app.refused.erase(&a);
      std::erase(refused_, &a);
      break;
  }
  changes.apply(ask_lined_up{a, ask_line::none, nullptr});
  const bool still_highest = !rest->empty() && rest->first()->priority == app.priority;
  if (a.priority == app.priority && !still_highest) set_priority(app, highest_of(app));
}

// The RM refused it everywhere: waits until something changes for the RM.
void ask_lines::move_to_refused(ask &a) {
  dequeue(a);
  changes.apply(ask_lined_up{a, ask_line::refused, nullptr});
  a.owner->refused.insert(&a);
  refused_.push_back(&a);
  if (a.priority > a.owner->priority) set_priority(*a.owner, a.priority);
  alarms.set(a);
}

// A group goes with the last of its asks: of the classes that an application had, few are looked at. The one that was
// used last stays, and serves the next class.
app_class &ask_lines::group_for(application &app, unit_id which) {
  app_class *last = app.last_group;
  if (last != nullptr && last->unit->class_id == which.class_id && last->unit->kind == which.kind) return *last;
  const auto same = std::find(app.units.begin(), app.units.end(), which);
  app_class *g = same == app.units.end() ? nullptr : app.classes[static_cast<size_t>(same - app.units.begin())];
  if (g != nullptr) {
    if (last->empty()) drop(*last);
  } else if (last != nullptr && last->empty()) {
    g = last;
    *std::find(app.units.begin(), app.units.end(), unit_id{g->unit->class_id, g->unit->kind}) = which;
    ready.leave_unit(*g->unit);
    g->unit = &ready.join_unit(*app.home, which);
  } else {
    g = &groups.create();
    g->owner = &app;
    g->unit = &ready.join_unit(*app.home, which);
    app.classes.push_back(g);
    app.units.push_back(which);
  }
  app.last_group = g;
  return *g;
}

void ask_lines::drop(app_class &g) {
  application &app = *g.owner;
  const auto at = std::find(app.classes.begin(), app.classes.end(), &g);
  app.units[static_cast<size_t>(at - app.classes.begin())] = app.units.back();
  app.units.pop_back();
  *at = app.classes.back();
  app.classes.pop_back();
  ready.leave_unit(*g.unit);
  groups.retire(g);
}

void ask_lines::give_up_groups(application &app) {
  for (app_class *g : app.classes) {
    ready.forget(*g);
    ready.leave_unit(*g->unit);
    groups.retire(*g);
  }
  app.classes.clear();
  app.units.clear();
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
  std::vector<ask *> waiting;
  waiting.swap(refused_);
  for (ask *a : waiting) {
    dequeue(*a);
    enqueue(*a);
  }
  reserved.wake_refused();
}

// Of what is left after an ask went: at most what it was, and one that has that ends the search.
int32_t ask_lines::highest_of(const application &app) {
  int32_t highest = INT32_MIN;
  const auto is_highest = [&](const ask_run &run) {
    if (!run.empty()) highest = std::max(highest, run.first()->priority);
    return highest == app.priority;
  };
  if (is_highest(app.refused) || is_highest(app.reserved)) return highest;
  for (const app_class *g : app.classes) {
    if (is_highest(g->run)) return highest;
  }
  for (const auto &[group, g] : app.task_groups) {
    if (is_highest(g.waiting)) return highest;
  }
  return highest;
}

void ask_lines::set_priority(application &app, int32_t highest) {
  if (highest == app.priority) return;
  queue &leaf = *app.home;
  queue_priorities::count(leaf, app.priority, highest);
  app.priority = highest;
  keys.priority_changed(app);
  priorities.refresh(leaf);
}

}  // namespace tenon::internal
