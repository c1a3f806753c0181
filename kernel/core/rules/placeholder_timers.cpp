// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/placeholder_timers.hpp"

#include <algorithm>

#include "core.hpp"
#include "model/gang_start.hpp"
#include "model/queue_properties.hpp"
#include "rules/lifecycles.hpp"
#include "rules/proposals.hpp"
#include "rules/replacements.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

void placeholder_timers::arm(application &app, int64_t from_ms) {
  const bool own = !app.placeholder_ask.empty() && app.execution_timeout_ms > 0;
  const bool said = app.state == application_state::accepted && app.said_creation_ms > 0 && !begins_whole(app);
  const int64_t due_ms = add_saturating(said ? app.said_creation_ms : from_ms,
                                        own ? app.execution_timeout_ms : config.tuning.placeholder_timeout_ms);
  app.placeholder_timers.waiting = clock.next_epoch();
  clock.arm(std::max(clock.now_ms(), due_ms), timer_kind::placeholders, app.index, app.placeholder_timers.waiting);
}

void placeholder_timers::entered(application &app, application_state from) {
  const bool is_new = app.state == application_state::accepted && from == application_state::new_;
  if (is_new && !app.placeholder_ask.empty()) arm(app, clock.now_ms());
  if (!app.runs()) app.placeholder_timers.waiting = 0;
  watch_left_over(app, false);
}

void placeholder_timers::placed(application &app, int64_t bind_time_ms) {
  const bool first = app.state == application_state::accepted && bind_time_ms < app.first_bind_ms;
  if (first) app.first_bind_ms = bind_time_ms;
  const bool waits =
      app.runs() || app.state == application_state::completing || app.state == application_state::resuming;
  if (first || (waits && app.placeholder_timers.waiting == 0)) arm(app, bind_time_ms);
}

void placeholder_timers::fire(const timer &t) {
  application &app = applications[t.object];
  if (t.kind == timer_kind::placeholders) {
    app.placeholder_timers.waiting = 0;
    timed_out(app);
  } else {
    app.placeholder_timers.left_over = 0;
    give_back_left_over(app);
  }
}

bool placeholder_timers::is_void(const timer &t) const {
  const application &app = applications[t.object];
  const placeholder_epochs &runs = app.placeholder_timers;
  return !app.live || t.epoch != (t.kind == timer_kind::placeholders ? runs.waiting : runs.left_over);
}

void placeholder_timers::timed_out(application &app) {
  const bool some = std::any_of(app.task_groups.begin(), app.task_groups.end(), [](const auto &item) {
    return item.second.pending > 0 || !item.second.allocated.empty();
  });
  const auto proposed_too = [](const proposal &p) { return p.made == nullptr || p.made->placeholder; };
  if (!some && std::none_of(app.proposals->begin(), app.proposals->end(), proposed_too)) return;
  const auto proposed = static_cast<uint64_t>(std::count_if(app.proposals->begin(), app.proposals->end(),
                                                            [](const proposal &p) { return p.is_placeholder(); }));
  const bool has_begun = app.first_bind_ms != INT64_MAX || app.placeholder_count > proposed || !begins_whole(app);
  if (!has_begun && (proposed != 0 || gang_has_come(app, classes))) return;  // its time runs from then
  const auto is_offered = [](const proposal &p) { return p.made == nullptr; };
  const auto offered = std::count_if(app.proposals->begin(), app.proposals->end(), is_offered);
  const bool works = replacements::real_allocations(app) != 0 || *app.under_way != static_cast<size_t>(offered);
  const bool fails = app.hard_gang && !works;
  if (fails || app.state == application_state::accepted) {
    const uint64_t placed = app.placeholder_count - proposed;
    uint64_t waiting = proposed;
    for (const auto &[group, g] : app.task_groups) waiting += static_cast<uint64_t>(g.pending);
    lifecycle.move(app, fails ? application_event::fail : application_event::resume,
                   messages::reservation_timeout(lifecycle.time_in_state(app), app.state.name(), placed, waiting));
  }
  const bool only_placeholders = app.state != application_state::failing;
  if (only_placeholders) proposals.undo_placeholders(app, {cause::gang_timeout});
  lifecycle.expire_all(app, {cause::gang_timeout}, only_placeholders);
  lifecycle.drop_asks(app, termination::timeout, {cause::gang_timeout_pending}, only_placeholders);
  lifecycle.settle(app, false);
}

void placeholder_timers::give_back_left_over(application &app) {
  const bool undone = proposals.undo_placeholders(app, {cause::gang_left_over});
  lifecycle.expire_all(app, {cause::gang_left_over}, true);
  if (!undone) return;
  lifecycle.drop_asks(app, termination::timeout, {cause::gang_left_over}, true);
  lifecycle.settle(app, false);
}

void placeholder_timers::watch_left_over(application &app, bool real_went) {
  if (app.placeholder_timers.left_over == 0 && !real_went) return;
  const bool busy = app.state == application_state::starting || app.state == application_state::running;
  const bool left_over = busy && app.under_way == 0 && app.placeholder_count != 0 &&
                         app.placeholder_count == app.allocations.size() && !app.has_pending();
  if (!left_over) {
    app.placeholder_timers.left_over = 0;
  } else if (app.placeholder_timers.left_over == 0) {
    app.placeholder_timers.left_over = clock.next_epoch();
    clock.arm(add_saturating(clock.now_ms(), config.tuning.completing_timeout_ms), timer_kind::left_over, app.index,
              app.placeholder_timers.left_over);
  }
}

}  // namespace tenon::internal
