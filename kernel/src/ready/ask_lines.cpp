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
  } else if (reservation_of(a) != nullptr) {
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

void ask_lines::join_run(ask &a, unit_kind kind) {
  application &app = *a.owner;
  leaf_class &u = ready.unit_of(*app.home, a.class_id, kind);
  app_class *g = app.last_group != nullptr && app.last_group->unit == &u ? app.last_group : nullptr;
  if (g == nullptr) {
    const auto same = std::find(app.units.begin(), app.units.end(), &u);
    if (same != app.units.end()) g = app.classes[static_cast<size_t>(same - app.units.begin())];
  }
  if (g == nullptr) {
    g = &groups.create();
    g->owner = &app;
    g->unit = &u;
    app.classes.push_back(g);
    app.units.push_back(&u);
  }
  app.last_group = g;
  changes.apply(ask_lined_up{a, ask_line::run, g});
  const ask *before = g->empty() ? nullptr : g->first();
  g->run.insert(&a);
  if (before == nullptr) {
    ready.make_ready(*g);
  } else if (g->first() != before) {
    ready.order_changed(*g);
  }
  alarms.join(a, u);
}

void ask_lines::leave_run(ask &a) {
  app_class &g = *a.group;
  alarms.leave(a);
  const bool first = g.first() == &a;
  if (first && g.run.size() == 1) ready.make_unready(g);
  g.run.erase(&a);
  if (first && !g.empty()) ready.order_changed(g);
  if (g.empty()) ready.forget(g);
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
  keys.changed(app, column::priority);
  priorities.refresh(leaf);
}

}  // namespace tenon::internal
