// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/gangs.hpp"

#include <algorithm>

#include "model/may_run.hpp"
#include "ready/ask_lines.hpp"
#include "ready/change_dispatcher.hpp"

namespace tenon::internal {

// -- Task groups. --

task_group *gangs::group_named(application &app, std::string_view group) {
  if (group.empty()) return nullptr;
  auto found = app.task_groups.find(group);
  if (found == app.task_groups.end()) {
    found = app.task_groups.emplace(std::string(group), task_group{}).first;
    found->second.name = found->first;
    found->second.owner = &app;
  }
  return &found->second;
}

void gangs::restore_ended(application &app, std::string_view name, int64_t replaced, int64_t timed_out) {
  task_group &g = *group_named(app, name);
  g.replaced = replaced;
  g.timed_out = timed_out;
}

void gangs::count_placeholders(task_group &g, int64_t pending, int64_t held) {
  const bool before = g.in_force();
  changes.apply(group_counted{g, pending, held});
  if (pending < 0 || held > 0) lines.wake_gang(*g.owner);  // the rest may fit together now
  if (g.in_force() == before) return;
  std::vector<ask *> concerned(g.waiting.begin(), g.waiting.end());
  if (!before) {
    for (ask *a : g.owner->asks) {  // any order: sorted next
      if (a->gang == &g && !a->placeholder && a->line != ask_line::none) concerned.push_back(a);
    }
    std::sort(concerned.begin(), concerned.end(), [](const ask *x, const ask *y) { return tried_before(*x, *y); });
  }
  for (ask *a : concerned) lines.line_up_again(*a);
}

void gangs::count_size(task_group &g, uint32_t class_id, int sign) {
  const auto same = std::find_if(g.sizes.begin(), g.sizes.end(), [&](const auto &s) { return s.first == class_id; });
  if (same == g.sizes.end()) {
    g.sizes.emplace_back(class_id, 1);
  } else if (sign > 0) {
    ++same->second;
  } else if (--same->second == 0) {
    g.sizes.erase(same);
  }
}

void gangs::hold(allocation &a) {
  ++a.owner->placeholder_count;
  note_size(*a.gang, a.class_id);
  if (a.state != allocation_state::allocated) return count_placeholders(*a.gang, 0, 1);
  a.gang->allocated.insert(&a);
  count_size(*a.gang, a.class_id, 1);
  count_placeholders(*a.gang, 0, 1);
  look_at_refused(*a.gang);
}

void gangs::make_available(allocation &a) {
  a.gang->allocated.insert(&a);
  count_size(*a.gang, a.class_id, 1);
  look_at_refused(*a.gang);
}

// The node of a placeholder is one more that the RM may agree with.
void gangs::look_at_refused(task_group &g) {
  const std::vector<ask *> refused(g.owner->refused.begin(), g.owner->refused.end());
  for (ask *one : refused) {
    if (one->gang == &g) lines.line_up_again(*one);
  }
  changed(g, true);
}

void gangs::leave_allocated(allocation &a) {
  a.gang->allocated.erase(&a);
  count_size(*a.gang, a.class_id, -1);
  changed(*a.gang, false);
}

void gangs::resized(allocation &a, uint32_t class_before) {
  count_size(*a.gang, class_before, -1);
  count_size(*a.gang, a.class_id, 1);
  changed(*a.gang, true);
}

void gangs::let_go(allocation &a) {
  task_group &g = *a.gang;
  if (a.state == allocation_state::allocated) leave_allocated(a);
  ++(a.under_way != nullptr ? g.replaced : g.timed_out);
  --a.owner->placeholder_count;
  count_placeholders(g, 0, -1);
}

// -- Which applications pass B looks at. --

void gangs::changed(task_group &g, bool more) {
  application &app = *g.owner;
  const bool in_play = !g.waiting.empty() && !g.allocated.empty();
  if (in_play != g.in_play) {
    g.in_play = in_play;
    if (in_play) {
      app.gang.in_play.push_back(&g);
    } else {
      std::erase(app.gang.in_play, &g);
    }
  }
  if (more && app.gang.stuck) {
    std::erase(stuck_, &app);
    app.gang.stuck = false;
  }
  changed(app);
}

void gangs::changed(application &app) {
  const bool wanted = !app.gang.in_play.empty() && app.runs() && !in_stopped_queue(app);
  if (wanted) {
    if (!app.gang.stuck && !heap_.contains(&app)) heap_.push(&app);
  } else if (app.gang.stuck) {
    std::erase(stuck_, &app);
    app.gang.stuck = false;
  } else if (heap_.contains(&app)) {
    heap_.erase(&app);
  }
}

void gangs::wake_stuck() {
  for (application *app : std::exchange(stuck_, {})) {
    app->gang.stuck = false;
    changed(*app);
  }
}

// A placeholder on it, or an ask that it is reserved for, may do better now.
void gangs::wake_on(const node &n) {
  if (stuck_.empty()) return;
  const auto stuck_here = [](const allocation *a) { return a->placeholder && a->owner->gang.stuck; };
  const auto kept_here = [](const reservation *r) { return r->of->owner->gang.stuck; };
  if (std::any_of(n.allocations.begin(), n.allocations.end(), stuck_here) ||
      std::any_of(n.reservations->begin(), n.reservations->end(), kept_here)) {
    wake_stuck();
  }
}

void gangs::tried(application &app) {
  if (!heap_.contains(&app)) return;
  heap_.erase(&app);
  app.gang.stuck = true;
  stuck_.push_back(&app);
}

}  // namespace tenon::internal
