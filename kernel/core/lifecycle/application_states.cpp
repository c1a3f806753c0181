// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "lifecycle/application_states.hpp"

#include <algorithm>

#include "core.hpp"
#include "lifecycle/allocation_states.hpp"
#include "model/partition_model.hpp"
#include "model/queue_properties.hpp"
#include "policies/bound_sort_policy.hpp"
#include "queueing/ask_lines.hpp"
#include "queueing/change_dispatcher.hpp"
#include "queueing/gang_turns.hpp"
#include "queueing/limit_lines.hpp"
#include "queueing/ready_index.hpp"
#include "queueing/sort_keys.hpp"
#include "rules/limits.hpp"
#include "rules/placeholder_timers.hpp"
#include "rules/proposals.hpp"
#include "rules/replacements.hpp"
#include "rules/reservations.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {
namespace {

bool counts_as_running(application_state s) {
  return s == application_state::starting || s == application_state::running;
}

}  // namespace

// -- Comes. --

application &application_states::create_application(std::string_view app_id, queue &leaf) {
  application &app = of.applications.create();
  app.id = app_id;
  app.home = &leaf;
  app.submission = next_submission_++;
  app.submitted_ms = clock.now_ms();
  app.epoch = clock.next_epoch();
  app.key.reset(leaf.order->key_words());
  app.key_dirty = true;
  leaf.apps.insert(&app);
  leaf.dirty_apps.push_back(&app);
  of.active.emplace(app.id, &app);
  changes.apply(application_made{app});
  return app;
}

void application_states::keep_rejected(const tenon::add_application &c, std::string why) {
  if (const auto same = of.rejected.find(c.application); same != of.rejected.end()) {
    application &before = *same->second;
    of.drop_ended(before);
    forget(before);
  }
  application &app = of.applications.create();
  app.id = c.application;
  app.user = c.user;
  app.groups.assign(c.groups.begin(), c.groups.end());
  app.submitted_queue = c.queue;
  app.submission = next_submission_++;
  app.submitted_ms = clock.now_ms();
  app.message = std::move(why);
  changes.apply(application_moved{app, application_event::reject});
  note_state(app);
  app.epoch = clock.next_epoch();
  end(app);
}

void application_states::lower_submission(application &app, int64_t create_time_ms) {
  if (create_time_ms == 0 || create_time_ms >= app.submitted_ms) return;
  app.submitted_ms = create_time_ms;
  keys.changed(app, column::submitted);
}

// -- States. --

void application_states::run(application &app, std::string_view why) {
  move(app, app.direct_running ? application_event::run_directly : application_event::run, why);
}

bool application_states::move(application &app, application_event event, std::string_view why) {
  if (!app.state.may(event)) return false;
  const application_state from = app.state;
  changes.apply(application_moved{app, event});
  if (app.state == from) return true;
  if (!why.empty()) app.message = why;
  enter_state(app, from);
  return true;
}

// The first state stays, and the last ones: an application may change its state for ever.
void application_states::note_state(application &app) {
  if (app.state_log.size() >= most_states_kept) app.state_log.erase(app.state_log.begin() + 1);
  app.state_log.emplace_back(clock.now_ms(), app.state);
}

int64_t application_states::time_in_state(const application &app) const {
  return app.state_log.empty() ? 0 : sub_saturating(clock.now_ms(), app.state_log.back().first);
}

void application_states::enter_state(application &app, application_state from) {
  app.epoch = clock.next_epoch();
  note_state(app);
  changes.apply(application_entered{app});
  if (!app.runs()) {
    proposals.undo_all_of(app, {cause::application_not_running}, true);
    reservations.drop_all(app);
  }
  if (app.state == application_state::failing && app.under_way != 0) replacements.undo_all(app, nullptr, true);
  const auto arm = [&](int64_t delay) {
    clock.arm(clock.now_ms() + delay, timer_kind::application_state, app.index, app.epoch);
  };
  if (app.state == application_state::starting) arm(config.tuning.starting_timeout_ms);
  if (app.state == application_state::completing) arm(config.tuning.completing_timeout_ms);
  if (counts_as_running(app.state) && !counts_as_running(from)) {
    if (app.started_ms == 0) app.started_ms = clock.now_ms();
    if (app.execution_timeout_ms > 0 && app.placeholder_ask.empty()) {
      app.run_epoch = clock.next_epoch();
      clock.arm(std::max(clock.now_ms(), add_saturating(app.started_ms, app.execution_timeout_ms)),
                timer_kind::application_execution, app.index, app.run_epoch);
    }
  } else if (!counts_as_running(app.state)) {
    app.run_epoch = 0;
  }
  // One whose placeholders are given up keeps its place for what runs of it.
  const bool may_go_on = app.state == application_state::accepted || app.state == application_state::resuming;
  const bool goes_on = may_go_on && app.counted && replacements::real_allocations(app) != 0;
  count_up(app, counts_as_running(app.state) || goes_on);
  limit_lines.look_again_at(app);
  if (app.state == application_state::accepted) app.first_bind_ms = INT64_MAX;
  if (from == application_state::accepted && app.runs()) lines.wake_gang(app);  // it waits no longer for all of itself
  placeholder_timers.entered(app, from);
  if (app.state == application_state::completed || app.state == application_state::failed) end_application(app);
}

void application_states::count_up(application &app, bool counted) {
  if (app.counted == counted) return;
  app.counted = counted;
  for (queue *q = app.home; q != nullptr; q = q->parent) changes.apply(queue_runs{*q, counted});
}

// The state that a new allocation brings its application to.
void application_states::after_placing(application &app, const allocation &x) {
  if (x.placeholder) placeholder_timers.placed(app, x.bind_time_ms);
  if (app.state == application_state::running) return;
  if (!x.placeholder) {
    if (app.state != application_state::resuming) run(app, messages::allocation_added());
    return;
  }
  if (app.state == application_state::accepted) {
    count_up(app, true);
    limit_lines.look_again_at(app);
  }
  const auto all_placed = [&] {
    if (app.proposals->empty()) return app.placeholders == app.placeholder_ask;
    resources placed = app.placeholders;
    for (const proposal &p : app.proposals) {
      if (p.is_placeholder()) placed -= classes[p.made->class_id].need;
    }
    placed.prune();
    return placed == app.placeholder_ask;
  };
  if (app.state == application_state::completing) return run(app, messages::allocation_added());
  if (app.state != application_state::accepted) return;
  if (!all_placed()) return replacements.run_short_gang(app);
  run(app, messages::gang_complete());
}

// Something of the application went, `real_went`: something that is no placeholder.
void application_states::settle(application &app, bool real_went) {
  limits.leave(app);
  placeholder_timers.watch_left_over(app, real_went);
  if (app.state == application_state::resuming) {
    if (app.placeholder_count != 0) return;
    run(app, messages::no_placeholder_left());
  }
  if (!app.allocations.empty() || app.has_pending()) return replacements.run_short_gang(app);
  if (app.state == application_state::failing) {
    move(app, application_event::fail, {});
  } else if (app.state != application_state::completing) {
    move(app, application_event::complete, messages::nothing_left());
  }
}

void application_states::expire_all(application &app, const reason &why, bool only_placeholders) {
  for (allocation *a : all_of(app.allocations)) {
    if (a->state != allocation_state::allocated || (only_placeholders && !a->placeholder)) continue;
    allocations.expire(*a, why);
  }
}

// Tells the RM of each.
void application_states::drop_asks(application &app, termination end, const reason &why, bool only_placeholders) {
  for (ask *a : pending_by_arrival(app)) {
    if (only_placeholders && !a->placeholder) continue;
    reservations.drop(*a);
    allocations.drop(*a, end, &why);
  }
}

void application_states::fail(application &app, std::string_view text, const reason &why) {
  move(app, application_event::fail, text);
  expire_all(app, why, false);
  drop_asks(app, termination::timeout, why, false);
  settle(app);
}

void application_states::fail_at_once(application &app, std::string_view text) {
  if (app.state != application_state::failing) move(app, application_event::fail, text);
  for (allocation *a : all_of(app.allocations)) {
    allocations.dismiss(*a, {cause::partition_removed});
  }
  drop_asks(app, termination::stopped_by_rm, {cause::partition_removed}, false);
  settle(app);
}

void application_states::fire(const timer &t) {
  application &app = of.applications[t.object];
  if (t.kind == timer_kind::application_execution) {
    return fail(app, messages::execution_timeout(sub_saturating(clock.now_ms(), app.started_ms)),
                {cause::application_timeout});
  }
  if (app.state == application_state::starting) return run(app, messages::starting_timeout(time_in_state(app)));
  if (app.state == application_state::completing) {
    move(app, application_event::complete, messages::completing_timeout(time_in_state(app)));
    return;
  }
  of.drop_ended(app);
  move(app, application_event::expire, messages::terminated_timeout(time_in_state(app), app.state.name()));
  forget(app);
}

bool application_states::is_void(const timer &t) const {
  const application &app = of.applications[t.object];
  return !app.live || t.epoch != (t.kind == timer_kind::application_execution ? app.run_epoch : app.epoch);
}

// -- Its place in its queue. --

// Its asks stand nowhere.
void application_states::give_up_place(application &app) { lines.give_up_groups(app); }

// Removes it from the applications of its queue, whose keys may read each other.
void application_states::leave_order(application &app) {
  queue &leaf = *app.home;
  leaf.apps.erase(&app);
  keys.left(app);
  if (app.key_dirty) std::erase(leaf.dirty_apps, &app);
}

void application_states::join_order(application &app) {
  queue &leaf = *app.home;
  leaf.apps.insert(&app);
  app.key.reset(leaf.order->key_words());
  app.key_dirty = true;
  leaf.dirty_apps.push_back(&app);
  keys.joined(app);
}

// -- Goes. --

void application_states::remove(application &app) {
  changes.apply(application_moved{app, application_event::remove});  // nothing of it is looked at any more
  proposals.undo_all_of(app, {cause::application_removed}, false);
  replacements.undo_all(app, nullptr, false);
  for (allocation *a : all_of(app.allocations)) {
    allocations.dismiss(*a, {cause::application_removed});
  }
  reservations.drop_all(app);
  for (ask *a : pending_by_arrival(app)) allocations.drop(*a);
  leave_queue(app);
  forget(app);
}

void application_states::leave_queue(application &app) {
  count_up(app, false);
  give_up_place(app);
  limits.leave(app);
  limits.detach(app);
  leave_order(app);
  changes.apply(application_left{app, *app.home});
  of.active.erase(app.id);
}

// Completed or Failed.
void application_states::end_application(application &app) {
  const std::string path = app.home->path;
  leave_queue(app);
  app.submitted_queue = path;
  end(app);
}

// Kept among the ended ones until it expires.
void application_states::end(application &app) {
  app.finished_ms = clock.now_ms();
  app.ended = next_end_++;
  of.add_ended(app);
  clock.arm(clock.now_ms() + config.tuning.terminated_timeout_ms, timer_kind::application_state, app.index, app.epoch);
}

void application_states::forget_new(application &app) {
  leave_queue(app);
  forget(app);
}

void application_states::forget(application &app) {
  app.epoch = app.run_epoch = 0;
  app.placeholder_timers = {};
  of.applications.retire(app);
  changes.apply(application_forgotten{app});
}

}  // namespace tenon::internal
