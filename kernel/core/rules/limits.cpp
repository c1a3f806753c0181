// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/limits.hpp"

#include <algorithm>

#include "base/kept_sizes.hpp"
#include "queueing/change_dispatcher.hpp"
#include "queueing/kept_orders.hpp"
#include "queueing/limit_lines.hpp"
#include "queueing/ready_index.hpp"
#include "queueing/reserved_line.hpp"

namespace tenon::internal {

const limit_config *limits::limit_for(const queue &q, std::string_view of, bool group) {
  return group ? q.limits.of_group(of) : q.limits.of_user(of);
}

usage_node &limits::usage_of(std::string_view of, bool group, queue &q) {
  auto &all = group ? groups_ : users_;
  auto found = all.find(of);
  if (found == all.end()) {
    found = all.emplace(std::string(of), usage_tracker{}).first;
    found->second.name = of;
    kept_bytes_ += usage_size + 2 * of.size();
  }
  auto &slot = found->second.nodes[&q];
  if (slot == nullptr) {
    slot = std::make_unique<usage_node>();
    kept_bytes_ += usage_size;
    slot->of = &found->second;
    slot->where = &q;
    slot->parent = q.parent == nullptr ? nullptr : &usage_of(of, group, *q.parent);
    set_limit(*slot, limit_for(q, of, group));
  }
  return *slot;
}

void limits::set_limit(usage_node &u, const limit_config *limit) {
  u.max.clear();
  u.max_applications = limit == nullptr ? 0 : limit->max_applications;
  if (limit == nullptr) return;
  for (const auto &[type, amount] : limit->max_resources) u.max.set(types.intern(type), amount);
}

std::string limits::group_of(const application &app, const queue &home) {
  for (const queue *q = &home; q != nullptr; q = q->parent) {
    if (const std::string_view found = q->limits.group_among(app.groups); !found.empty()) return std::string(found);
  }
  return {};
}

void limits::attach(application &app) {
  app.user_usage = &usage_of(app.user, false, *app.home);
  std::string group = group_of(app, *app.home);
  changes.apply(application_grouped{app, app.group, group});
  app.group = std::move(group);
  app.group_usage = app.group.empty() ? nullptr : &usage_of(app.group, true, *app.home);
}

void limits::detach(application &app) {
  changes.apply(application_grouped{app, app.group, {}});
  app.user_usage = app.group_usage = nullptr;
}

// It is to have an allocation: for good where the RM does not check it first.
void limits::enter(application &app, bool checked) {
  const bool is_new = app.place == limit_place::none;
  if (is_new) changes.apply(limit_runs{app, true});
  if (app.place != limit_place::taken) app.place = checked ? limit_place::offered : limit_place::taken;
  if (is_new) lines.look_again_at(app);
}

// Something of it went. One that lost its last allocation and still asks keeps its place: else somebody could take it
// meanwhile, and both would run. One that never had an allocation has nothing to keep.
void limits::leave(application &app) {
  if (app.place == limit_place::none || !app.allocations.empty()) return;
  if (app.place == limit_place::taken && app.has_pending()) return;
  app.place = limit_place::none;
  changes.apply(limit_runs{app, false});
  lines.look_again_at(app);
  orders.may_change(*app.home);
}

bool limits::breaks(const application &app, const resources &used, std::string_view of, bool group,
                    const queue &q) const {
  const limit_config *limit = limit_for(q, of, group);
  if (limit == nullptr) return false;
  const auto &all = group ? groups_ : users_;
  const auto tracker = all.find(of);
  const usage_node *there = nullptr;
  if (tracker != all.end()) {
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

void limits::forget_gone_queues() {
  for (auto *all : {&users_, &groups_}) {
    for (auto &[tracked, tracker] : *all) {
      const size_t forgotten = std::erase_if(tracker.nodes, [](const auto &one) { return one.first->gone; });
      tracker.touched |= forgotten != 0;
      kept_bytes_ -= forgotten * usage_size;
    }
  }
}

// They may name others now: every application is attached anew, with what it uses.
void limits::refresh(const std::vector<application *> &all_applications) {
  for (auto *all : {&users_, &groups_}) {
    for (auto &[tracked, tracker] : *all) {
      for (auto &[q, u] : tracker.nodes) orders.forget(*u);
    }
  }
  for (application *app : all_applications) lines.stop_waiting(*app);
  users_.clear();
  groups_.clear();
  kept_bytes_ = 0;
  for (application *app : all_applications) {
    attach(*app);
    if (app->place != limit_place::none) changes.apply(limit_runs{*app, true});
    resources used = app->allocated;
    used += app->placeholders;
    changes.apply(limit_used{*app, used, 1});
    ready.let_go(*app);
    reserved.attached(*app);
  }
}

}  // namespace tenon::internal
