// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Users and groups: what each uses in each queue, and the limits that hold there.
#include <algorithm>

#include "base/kept_sizes.hpp"
#include "partition.hpp"

namespace tenon::internal {

const limit_config *partition::limit_for(const queue &q, std::string_view name, bool group) {
  return group ? q.limits.of_group(name) : q.limits.of_user(name);
}

usage_node &partition::usage_of(std::string_view of, bool group, queue &q) {
  auto &trackers = group ? user_groups : users;
  auto found = trackers.find(of);
  if (found == trackers.end()) {
    found = trackers.emplace(std::string(of), usage_tracker{}).first;
    found->second.name = of;
    count_kept_usage(usage_size + 2 * of.size());
  }
  auto &slot = found->second.nodes[&q];
  if (slot == nullptr) {
    slot = std::make_unique<usage_node>();
    count_kept_usage(usage_size);
    slot->of = &found->second;
    slot->where = &q;
    slot->parent = q.parent == nullptr ? nullptr : &usage_of(of, group, *q.parent);
    set_limit(*slot, limit_for(q, of, group));
  }
  return *slot;
}

void partition::set_limit(usage_node &u, const limit_config *limit) {
  u.max.clear();
  u.max_applications = limit == nullptr ? 0 : limit->max_applications;
  if (limit == nullptr) return;
  for (const auto &[type, amount] : limit->max_resources) u.max.set(types.intern(type), amount);
}

std::string partition::group_of(const application &app, const queue &home) {
  for (const queue *q = &home; q != nullptr; q = q->parent) {
    if (const std::string_view found = q->limits.group_among(app.groups); !found.empty()) return std::string(found);
  }
  return {};
}

void partition::attach_usage(application &app) {
  app.user_usage = &usage_of(app.user, false, *app.home);
  std::string group = group_of(app, *app.home);
  tell_group(app, app.group, group);
  app.group = std::move(group);
  app.group_usage = app.group.empty() ? nullptr : &usage_of(app.group, true, *app.home);
}

void partition::detach_usage(application &app) {
  tell_group(app, app.group, {});
  app.user_usage = app.group_usage = nullptr;
}

void partition::add_limit_usage(application &app, const resources &amount, int sign) {
  for (usage_node *start : {app.user_usage, app.group_usage}) {
    for (usage_node *u = start; u != nullptr; u = u->parent) apply(limit_used{*u, amount, sign});
  }
}

// It is to have an allocation: for good where the RM does not check it first.
void partition::enter_limits(application &app, bool checked) {
  if (app.place == limit_place::none) {
    count_in_limits(app, true);
    if (app.held_by_limit != nullptr) {
      ready.stop_waiting(app);
      ready.let_go(app);
      reservations.refresh(app);
    }
  }
  if (app.place != limit_place::taken) app.place = checked ? limit_place::offered : limit_place::taken;
}

// Something of it went. One that lost its last allocation and still asks keeps its place, so that nobody takes it
// meanwhile and both run; one that never had an allocation has nothing to keep.
void partition::leave_limits(application &app) {
  if (app.place == limit_place::none || !app.allocations.empty()) return;
  if (!app.pending->empty() && app.place == limit_place::taken) return;
  app.place = limit_place::none;
  count_in_limits(app, false);
}

void partition::count_in_limits(const application &app, bool running) {
  for (usage_node *start : {app.user_usage, app.group_usage}) {
    for (usage_node *u = start; u != nullptr; u = u->parent) apply(limit_runs{*u, app, running});
  }
}

usage_node *partition::blocking_limit(application &app, const ask_class &c, type_index &type) const {
  for (usage_node *start : {app.user_usage, app.group_usage}) {
    for (usage_node *u = start; u != nullptr; u = u->parent) {
      if (u->max.empty()) continue;
      for (const class_amount &p : c.positive) {
        if (u->max.has(p.type) && p.amount > u->max[p.type] - u->usage[p.type]) {
          type = p.type;
          return u;
        }
      }
    }
  }
  return nullptr;
}

usage_node *partition::full_limit_of(const application &app) {
  if (app.place != limit_place::none) return nullptr;
  for (usage_node *start : {app.user_usage, app.group_usage}) {
    for (usage_node *u = start; u != nullptr; u = u->parent) {
      if (u->max_applications != 0 && u->running->size() >= u->max_applications) return u;
    }
  }
  return nullptr;
}

bool partition::breaks_limit(const application &app, const resources &used, std::string_view of, bool group,
                             const queue &q) const {
  const limit_config *limit = limit_for(q, of, group);
  if (limit == nullptr) return false;
  const auto &trackers = group ? user_groups : users;
  const auto tracker = trackers.find(of);
  const usage_node *there = nullptr;
  if (tracker != trackers.end()) {
    const auto found = tracker->second.nodes.find(&q);
    if (found != tracker->second.nodes.end()) there = found->second.get();
  }
  for (const auto &[type, max] : limit->max_resources) {
    const type_index t = types.find(type);
    const int64_t amount = t == no_type ? 0 : used[t];
    if (amount > 0 && amount > sub_saturating(max, there == nullptr ? 0 : there->usage[t])) return true;
  }
  const size_t running = there == nullptr ? 0 : there->running->size();
  return app.place != limit_place::none && limit->max_applications != 0 && running >= limit->max_applications;
}

// Limits may name others now: every application is attached anew, with what it uses.
void partition::refresh_limits() {
  for (auto *trackers : {&users, &user_groups}) {
    for (auto &[tracked, tracker] : *trackers) {
      for (auto &[q, u] : tracker.nodes) ready.forget(*u);
    }
  }
  users.clear();
  user_groups.clear();
  uncount_kept_usage(kept_usage);
  for (application *app : by_submission()) {
    attach_usage(*app);
    if (app->place != limit_place::none) count_in_limits(*app, true);
    resources used = app->allocated;
    used += app->placeholders;
    add_limit_usage(*app, used, 1);
    ready.let_go(*app);
    reservations.refresh(*app);
  }
}

}  // namespace tenon::internal
