// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "commands/application_moves.hpp"

#include <algorithm>

#include "commands/application_intake.hpp"
#include "commands/canary.hpp"
#include "lifecycle/application_states.hpp"
#include "lifecycle/queue_tree.hpp"
#include "queueing/ask_lines.hpp"
#include "queueing/change_dispatcher.hpp"
#include "queueing/gang_turns.hpp"
#include "rules/claims.hpp"
#include "rules/limits.hpp"
#include "rules/placement.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {
namespace {

bool lies_on_path(const queue &one, const queue &leaf) {
  const queue *q = &leaf;
  while (q != nullptr && q != &one) q = q->parent;
  return q != nullptr;
}

resources use_of(const application &app) {
  resources out = app.allocated;
  out += app.placeholders;
  return out;
}

}  // namespace

// -- Whether it is possible. --

std::string application_moves::problem_with(const tenon::move_application &c) const {
  move_terms ignored;
  return check(c, ignored);
}

std::string application_moves::check(const tenon::move_application &c, move_terms &out) const {
  const application *app = out.app = of.find_application(c.application);
  if (app == nullptr) return messages::no_application(c.application);
  if (app->state == application_state::completing || app->state == application_state::failing) {
    return messages::move_of_ending(app->id, app->state.name());
  }
  const queue *to = out.to = queues.find_queue(c.queue);
  if (to == nullptr) return placement::refusal_of_missing(queues, c.queue);
  if (!to->leaf) return placement::refusal_of_parent(*to);
  if (to == app->home) return messages::move_to_same(app->id, to->path);
  for (const queue *q = to; q != nullptr; q = q->parent) {
    if (q->state != object_state::active)
      return messages::queue_inactive(q->path, q->state.name(), q->state == object_state::stopped);
  }
  const std::vector<std::string_view> groups_of_user(app->groups.begin(), app->groups.end());
  if (!placement::may_submit(*to, app->user, groups_of_user)) return messages::move_not_permitted(app->user, to->path);
  std::string problem = problem_of_shape(*app, *to);
  if (problem.empty()) problem = problem_of_usage(*app, *to);
  if (problem.empty()) problem = problem_of_limits(*app, *to);
  return problem;
}

// What it asks for, in one piece, could never be placed there.
std::string application_moves::problem_of_shape(const application &app, const queue &to) const {
  if (!app.placeholder_ask.empty()) {
    std::string problem = intake.gang_problem(to, app.placeholder_ask, app.id);
    if (!problem.empty()) return problem;
  }
  const resources max = queue_tree::configured_max(to);
  for (const ask *a : pending_by_arrival(app)) {
    const resources &need = classes[a->class_id].need;
    if (fit_in_undefined_unlimited(max, need)) continue;
    return messages::move_ask_too_large(a->key, configured_values(need, types), to.path, configured_values(max, types));
  }
  std::array<uint64_t, 4> ignored{};
  return intake.prepare_submitted(to, app.id, app.tags, ignored);
}

// Queues that are on both paths have what it uses already.
std::string application_moves::problem_of_usage(const application &app, const queue &to) const {
  const resources used = use_of(app);
  for (const queue *q = &to; q != nullptr && !lies_on_path(*q, *app.home); q = q->parent) {
    bool beyond = false;
    for_each_type(used, [&](type_index t, int64_t amount) {
      beyond |= amount > 0 && q->max.has(t) && amount > sub_saturating(q->max[t], q->allocated[t]);
    });
    if (beyond) return messages::move_beyond_max(configured_values(used, types), q->path);
    if (app.counted && q->max_applications != 0 && q->running_apps >= q->max_applications) {
      return messages::move_beyond_applications(q->path);
    }
  }
  return {};
}

std::string application_moves::problem_of_limits(const application &app, const queue &to) const {
  const std::string group = limits.group_of(app, to);
  const resources used = use_of(app);
  for (const queue *q = &to; q != nullptr; q = q->parent) {
    const bool on_both = lies_on_path(*q, *app.home);
    const bool user_breaks = !on_both && limits.breaks(app, used, app.user, false, *q);
    if (user_breaks) return messages::move_beyond_limit(app.user, q->path);
    const bool counted = on_both && group == app.group;
    if (!group.empty() && !counted && limits.breaks(app, used, group, true, *q)) {
      return messages::move_beyond_limit(group, q->path);
    }
  }
  return {};
}

// -- Done. --

void application_moves::obey(const tenon::move_application &c) {
  move_terms terms;
  if (!check(c, terms).empty()) return;
  application &app = *terms.app;
  queue &from = *app.home, &to = *terms.to;
  const std::vector<ask *> waiting = pending_by_arrival(app);
  for (ask *a : waiting) lines.dequeue(*a);
  const bool counted = app.counted;
  states.count_up(app, false);
  states.give_up_place(app);
  changes.apply(application_going{app, to});
  count_in_queues(app, waiting, -1);
  states.leave_order(app);
  changes.apply(application_rehomed{app, to});
  (void)intake.prepare_submitted(to, app.id, app.tags, app.prepared);
  states.join_order(app);
  count_in_queues(app, waiting, 1);
  changes.apply(application_come{app, from});
  states.count_up(app, counted);
  for (ask *a : waiting) lines.enqueue(*a);
  canary.moved(app);
  for (ask *a : waiting) {
    if (a->wait != nullptr) claims.keep_for(*a);
  }
  claims.keep_for_all();
}

// With sign 1 it is counted in its queue, for its user and group; with -1 it is not any more.
void application_moves::count_in_queues(application &app, const std::vector<ask *> &waiting, int sign) {
  const resources used = use_of(app);
  const bool uses = !is_zero(used);
  if (sign > 0) limits.attach(app);
  if (uses) changes.apply(use_moved{app, used, sign > 0});
  if (app.place != limit_place::none) changes.apply(limit_runs{app, sign > 0});
  changes.apply(limit_used{app, used, sign});
  if (sign < 0) {
    limits.detach(app);
    app.group.clear();
  }
  changes.apply(queue_used{*app.home, used, sign});
  for (const ask *a : waiting) {
    changes.apply(queue_asked{*app.home, classes[a->class_id].need, int64_t{sign} * a->pending()});
  }
  for (const allocation *x : app.allocations) {
    if (is_ending(*x)) changes.apply(queue_ending{*app.home, classes[x->class_id].need, x->state, sign});
  }
}

}  // namespace tenon::internal
