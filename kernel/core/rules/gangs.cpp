// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/gangs.hpp"

#include <algorithm>

#include "queueing/ask_lines.hpp"
#include "queueing/change_dispatcher.hpp"
#include "queueing/gang_turns.hpp"

namespace tenon::internal {

// -- Task groups. --

task_group *gangs::group_named(application &app, std::string_view group) {
  if (group.empty()) return nullptr;
  auto found = app.task_groups.find(group);
  if (found == app.task_groups.end()) {
    found = app.task_groups.emplace(std::string(group), task_group{}).first;
    found->second.name = found->first;
    found->second.owner = &app;
    changes.apply(group_made{found->second});
  }
  return &found->second;
}

void gangs::restore_ended(application &app, std::string_view name, int64_t replaced, int64_t timed_out) {
  task_group &g = *group_named(app, name);
  g.replaced = replaced;
  g.timed_out = timed_out;
}

void gangs::count_pending(const ask &a, int64_t times) {
  note_size(*a.gang, a.class_id);
  count_placeholders(*a.gang, times, 0);
}

void gangs::note_size(task_group &g, uint32_t class_id) {
  if (g.first_class == no_class) g.first_class = class_id;
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
  turns.changed(g, true);
}

void gangs::leave_allocated(allocation &a) {
  a.gang->allocated.erase(&a);
  count_size(*a.gang, a.class_id, -1);
  turns.changed(*a.gang, false);
}

void gangs::resized(allocation &a, uint32_t class_before) {
  count_size(*a.gang, class_before, -1);
  count_size(*a.gang, a.class_id, 1);
  turns.changed(*a.gang, true);
}

void gangs::let_go(allocation &a) {
  task_group &g = *a.gang;
  if (a.state == allocation_state::allocated) leave_allocated(a);
  ++(a.under_way != nullptr ? g.replaced : g.timed_out);
  --a.owner->placeholder_count;
  count_placeholders(g, 0, -1);
}

}  // namespace tenon::internal
