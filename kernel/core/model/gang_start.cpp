// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "model/gang_start.hpp"

#include <algorithm>

#include "tenon/kernel/names.hpp"

namespace tenon::internal {

gang_start gang_start_of(std::string_view value) {
  const std::string said = lower_case(value);
  if (said == "whole") return gang_start::whole;
  return said == "piecewise" ? gang_start::piecewise : gang_start::by_style;
}

bool begins_whole(const application &app) {
  const auto tag = std::find_if(app.tags.begin(), app.tags.end(),
                                [](const auto &item) { return lower_case(item.first) == "tenon/gang-start"; });
  gang_start how = tag == app.tags.end() ? gang_start::by_style : gang_start_of(tag->second);
  if (how == gang_start::by_style) how = app.home->gangs_begin;
  return how == gang_start::by_style ? app.hard_gang : how == gang_start::whole;
}

bool waits_to_begin(const application &app, const class_table &classes) {
  if (!app.runs() || !begins_whole(app)) return false;
  int64_t pending = 0;
  const bool several = std::any_of(app.task_groups.begin(), app.task_groups.end(), [&](const auto &group) {
    pending += group.second.pending;
    return pending > 1;
  });
  return several || !gang_has_come(app, classes);
}

namespace {

// A placeholder of it was allocated. Other asks may run while it waits to begin, and so may the application.
bool has_begun(const application &app) {
  if (app.state == application_state::accepted) return app.first_bind_ms != INT64_MAX;
  return std::any_of(app.task_groups.begin(), app.task_groups.end(), [](const auto &item) {
    const task_group &g = item.second;
    return g.held > 0 || g.members > 0 || g.replaced > 0;
  });
}

}  // namespace

bool gang_has_come(const application &app, const class_table &classes) {
  if (has_begun(app)) return true;
  // Few real asks come before the placeholders, so that the sum of all mostly tells.
  return fit_in(app.pending, app.placeholder_ask) && fit_in(need_of_gang(app, classes), app.placeholder_ask);
}

resources need_of_gang(const application &app, const class_table &classes) {
  resources out;
  for (const ask *a : app.asks) {  // any order: a sum
    if (a->placeholder) out.add_times(classes[a->class_id].need, a->pending());
  }
  return out;
}

ask_class class_of_gang(const application &app, const class_table &classes) {
  ask_class out;
  out.need = need_of_gang(app, classes);
  for_each_type(out.need, [&](type_index t, int64_t amount) {
    if (amount > 0) out.positive.push_back({t, 0, amount});
  });
  return out;
}

bool counts_as_one(const application &app, const class_table &classes) {
  return std::all_of(app.asks.begin(), app.asks.end(), [&](const ask *a) {
    const bool waits = a->placeholder && a->pending() > 0;
    return !waits || (!classes[a->class_id].requires_a_node() && reservation_of(*a) == nullptr);
  });
}

ask *front_of_gang(const application &app) {
  ask *front = nullptr;
  for (ask *a : app.asks) {  // any order: the first in theirs is looked for
    const bool waits = a->placeholder && a->pending() > 0;
    if (waits && (front == nullptr || tried_before(*a, *front))) front = a;
  }
  return front;
}

std::vector<class_amount> needs_in_order(const ask &a, const class_table &classes) {
  const bool whole = a.placeholder && waits_to_begin(*a.owner, classes);
  return whole ? class_of_gang(*a.owner, classes).positive : classes[a.class_id].positive;
}

}  // namespace tenon::internal
