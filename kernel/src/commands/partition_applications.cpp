// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Applications: intake, states with their timers and hooks, and their end.
#include <algorithm>
#include <charconv>

#include "base/tags.hpp"
#include "partition.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/names.hpp"

namespace tenon::internal {
namespace {

bool counts_as_running(application_state s) {
  return s == application_state::starting || s == application_state::running;
}

// When the application was created, as its RM says in a tag; 0 when it does not.
int64_t creation_in(texts tags) {
  const std::string_view text = find_tag(tags, "yunikorn.apache.org/creationTime");
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool number = error == std::errc{} && end == text.data() + text.size();
  return number && seconds > 0 ? mul_saturating(seconds, 1'000) : 0;
}

tag_list sorted_tags(texts tags) {
  tag_list out;
  for (const named_text &tag : tags) out.emplace_back(tag.key, tag.value);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

void partition::reject_application(const tenon::add_application &c, std::string why, bool keep_it) {
  decisions.emit(decided::application_rejected{decisions.keep(why)}).application =
      decisions.keep(std::string(c.application));
  facts.tell_rejected(c, why);
  if (!keep_it) return;
  const auto same = std::find_if(ended.begin(), ended.end(), [&](const application *a) {
    return a->state == application_state::rejected && a->id == c.application;
  });
  if (same != ended.end()) {
    forget(**same);
    ended.erase(same);
  }
  application &app = applications.create();
  app.id = c.application;
  app.user = c.user;
  app.groups.assign(c.groups.begin(), c.groups.end());
  app.submitted_queue = c.queue;
  app.submission = next_submission++;
  app.submitted_ms = app.finished_ms = shared.now_ms;
  app.message = std::move(why);
  apply(application_moved{app, application_event::reject});
  note_state(app);
  app.epoch = shared.next_epoch++;
  app.ended = next_end++;
  keeps.add(app);
  ended.push_back(&app);
  shared.timers.arm(shared.now_ms + config.tuning.terminated_timeout_ms, timer_kind::application_state, id, app.index,
                    app.epoch);
}

application &partition::create_application(std::string_view app_id, queue &leaf) {
  application &app = applications.create();
  apply(application_made{app});
  app.id = app_id;
  app.home = &leaf;
  app.submission = next_submission++;
  app.submitted_ms = shared.now_ms;
  app.epoch = shared.next_epoch++;
  app.key.reset(leaf.order->key_words());
  app.key_dirty = true;
  keys.follow_decay(app);
  leaf.apps.push_back(&app);
  leaf.dirty_apps.push_back(&app);
  active.emplace(app.id, &app);
  keeps.application_enters();
  return app;
}

void partition::obey(const tenon::add_application &c) {
  if (c.application.empty()) return reject_application(c, messages::application_without_id(), false);
  tenon::add_application as = c;
  const bool forced = tag_is_true(c.tags, "application.create.force");
  static constexpr std::string_view nogroup = "nogroup";
  if (c.user.empty()) {
    if (!forced) return reject_application(c, messages::user_empty(), true);
    as.user = "nobody";
    as.groups = names(&nogroup, 1);
  } else if (!is_user_name(c.user)) {
    return reject_application(c, messages::user_invalid(), true);
  }
  application_terms terms;
  if (std::string problem = check_amounts({{c.placeholder_ask, terms.gang}}); !problem.empty()) {
    return reject_application(as, std::move(problem), true);
  }
  if (state != object_state::active) {
    return reject_application(as, messages::application_to_stopped_partition(name, c.application, state.name()), true);
  }
  if (find_application(c.application) != nullptr) {
    return reject_application(c, messages::application_exists(c.application, name), false);
  }
  if (std::string problem = check_place(as, terms); !problem.empty()) {
    return reject_application(as, std::move(problem), true);
  }
  decisions.emit(decided::application_accepted{}, take_in(as, std::move(terms), false));
}

std::string partition::check_place(const tenon::add_application &c, application_terms &out) {
  std::string problem;
  out.leaf = placement.place(c, problem);
  if (out.leaf == nullptr) return messages::placement_failed(c.application, problem);
  if (!is_zero(out.gang)) problem = gang_problem(*out.leaf, out.gang, c.application);
  out.tags = sorted_tags(c.tags);
  return problem.empty() ? prepare_submitted(*out.leaf, c.application, out.tags, out.prepared) : problem;
}

application &partition::take_in(const tenon::add_application &c, application_terms terms, bool independent) {
  application &app = create_application(c.application, *terms.leaf);
  app.user = c.user;
  app.groups.assign(c.groups.begin(), c.groups.end());
  app.tags = std::move(terms.tags);
  app.prepared = terms.prepared;
  app.nodes_by = choose_sorting(c.tags);
  app.submitted_queue = c.queue;
  app.execution_timeout_ms = c.execution_timeout_ms;
  app.placeholder_ask = std::move(terms.gang);
  app.placeholder_ask.prune();
  app.hard_gang = c.hard_gang;
  app.direct_running = tag_is_true(c.tags, "application.stateaware.disable");
  app.said_creation_ms = creation_in(c.tags);
  app.independent = independent;
  keeps.add(app);
  facts.tell(fact_kind::application_added, app);
  limits.attach(app);
  return app;
}

std::string partition::gang_problem(const queue &leaf, const resources &gang, std::string_view app_id) const {
  const std::string &sort = leaf.order->bound->name;
  if (sort != "fifo" && sort != "stateaware") return messages::gang_queue_not_fifo(leaf.path, app_id);
  resources max;
  for (const queue *q = &leaf; q->parent != nullptr; q = q->parent) max = component_min(max, q->max);
  if (fit_in_undefined_unlimited(max, gang)) return {};
  return messages::gang_larger_than_queue(leaf.path, app_id, configured_values(gang), configured_values(max));
}

application *partition::independent_application(const tenon::put_ask &c, std::string &problem) {
  const std::string app_id = "@independent/" + std::string(c.key);
  if (application *app = find_application(app_id); app != nullptr) {
    if (app->state == application_state::failing) problem = messages::application_has_ended(app_id, app->state.name());
    return problem.empty() ? app : nullptr;
  }
  if (state != object_state::active) {
    problem = messages::application_to_stopped_partition(name, app_id, state.name());
    return nullptr;
  }
  static constexpr std::string_view nogroup = "nogroup";
  tenon::add_application as;
  as.application = app_id;
  as.user = "nobody";
  as.groups = names(&nogroup, 1);
  as.tags = c.tags;
  application_terms terms;
  problem = check_place(as, terms);
  return problem.empty() ? &take_in(as, std::move(terms), true) : nullptr;
}

void partition::run(application &app, std::string_view why) {
  move(app, app.direct_running ? application_event::run_directly : application_event::run, why);
}

bool partition::move(application &app, application_event event, std::string_view why) {
  if (!app.state.may(event)) return false;
  const application_state from = app.state;
  apply(application_moved{app, event});
  if (app.state == from) return true;
  if (!why.empty()) app.message = why;
  enter_state(app, from);
  return true;
}

// The first state stays, and the last ones: an application may change its state for ever.
void partition::note_state(application &app) {
  if (app.state_log.size() >= most_states_kept) app.state_log.erase(app.state_log.begin() + 1);
  app.state_log.emplace_back(shared.now_ms, app.state);
}

int64_t partition::time_in_state(const application &app) const {
  return app.state_log.empty() ? 0 : sub_saturating(shared.now_ms, app.state_log.back().first);
}

void partition::enter_state(application &app, application_state from) {
  app.epoch = shared.next_epoch++;
  note_state(app);
  if (!app.independent) {
    decisions.emit(decided::application_state{app.state, decisions.keep(app.message)}, app);
  }
  if (app.told_held != 0) facts.tell_held(app, false, false);
  facts.tell(fact_kind::application_state, app, app.message);
  if (!app.runs()) {
    proposals.undo_all_of(app, {cause::application_not_running}, true);
    reservations.drop_all(app);
  }
  if (app.state == application_state::failing && app.under_way != 0) replacements.undo_all(app, nullptr, true);
  const auto arm = [&](int64_t delay) {
    shared.timers.arm(shared.now_ms + delay, timer_kind::application_state, id, app.index, app.epoch);
  };
  if (app.state == application_state::starting) arm(config.tuning.starting_timeout_ms);
  if (app.state == application_state::completing) arm(config.tuning.completing_timeout_ms);
  if (counts_as_running(app.state) && !counts_as_running(from)) {
    if (app.started_ms == 0) app.started_ms = shared.now_ms;
    if (app.execution_timeout_ms > 0 && app.placeholder_ask.empty()) {
      app.run_epoch = shared.next_epoch++;
      shared.timers.arm(std::max(shared.now_ms, add_saturating(app.started_ms, app.execution_timeout_ms)),
                        timer_kind::application_execution, id, app.index, app.run_epoch);
    }
  } else if (!counts_as_running(app.state)) {
    app.run_epoch = 0;
  }
  count_up(app, counts_as_running(app.state) || (app.state == application_state::accepted && app.counted));
  if (app.state != application_state::accepted) ready.stop_waiting(app);
  if (app.state == application_state::accepted) app.first_bind_ms = INT64_MAX;
  if (app.state == application_state::accepted && from == application_state::new_ && !app.placeholder_ask.empty()) {
    placeholder_timers.arm(app, shared.now_ms);
  }
  if (!app.runs()) placeholder_timers.stop_waiting(app);
  placeholder_timers.watch_left_over(app, false);
  gangs.changed(app);
  if (app.home != nullptr) {
    if (app.eligible()) {
      ready.let_go(app);
    } else {
      ready.hold(app);
    }
    reservations.refresh(app);
    keys.changed(app, column::state);
  }
  if (app.state == application_state::completed || app.state == application_state::failed) end_application(app);
}

void partition::count_up(application &app, bool counted) {
  if (app.counted == counted) return;
  app.counted = counted;
  for (queue *q = app.home; q != nullptr; q = q->parent) apply(queue_runs{*q, counted});
}

// Something of the application went, `real_went`: something that is no placeholder.
void partition::settle(application &app, bool real_went) {
  limits.leave(app);
  placeholder_timers.watch_left_over(app, real_went);
  if (app.state == application_state::resuming) {
    if (app.placeholder_count != 0) return;
    run(app, messages::no_placeholder_left());
    return replacements.run_short_gang(app);
  }
  if (!app.allocations.empty() || !app.pending->empty()) return replacements.run_short_gang(app);
  if (app.state == application_state::failing) {
    move(app, application_event::fail, {});
  } else if (app.state != application_state::completing) {
    move(app, application_event::complete, messages::nothing_left());
  }
}

void partition::leave_queue(application &app) {
  count_up(app, false);
  ready.hold(app);
  give_up_place(app);
  limits.leave(app);
  limits.detach(app);
  facts.tell(fact_kind::application_left, app);
  leave_order(app);
  apply(application_left{app});
  active.erase(app.id);
  keeps.application_leaves();
}

// Completed or Failed: kept among the ended ones until it expires.
void partition::end_application(application &app) {
  const std::string path = app.home->path;
  leave_queue(app);
  app.submitted_queue = path;
  app.finished_ms = shared.now_ms;
  app.ended = next_end++;
  ended.push_back(&app);
  shared.timers.arm(shared.now_ms + config.tuning.terminated_timeout_ms, timer_kind::application_state, id, app.index,
                    app.epoch);
}

void partition::forget(application &app) {
  app.epoch = app.run_epoch = 0;
  placeholder_timers.stop(app);
  keeps.remove(app);
  applications.retire(app);
  apply(application_forgotten{app});
}

void partition::obey(const tenon::remove_application &c) {
  application *app = find_application(c.application);
  if (app == nullptr) return;
  apply(application_moved{*app, application_event::remove});  // nothing of it is looked at any more
  gangs.changed(*app);
  proposals.undo_all_of(*app, {cause::application_removed}, false);
  replacements.undo_all(*app, nullptr, false);
  for (allocation *a : by_sequence(app->allocations)) {
    decisions.emit_released(*a, termination::stopped_by_rm, {cause::application_removed});
    remove_allocation(*a, allocation_event::release);
  }
  reservations.drop_all(*app);
  for (ask *a : pending_by_arrival(*app)) drop(*a);
  leave_queue(*app);
  forget(*app);
}

void partition::execution_timed_out(application &app) {
  move(app, application_event::fail, messages::execution_timeout(sub_saturating(shared.now_ms, app.started_ms)));
  expire_all(app, {cause::application_timeout}, false);
  drop_asks(app, termination::timeout, {cause::application_timeout}, false);
  settle(app);
}

void partition::fail_everything() {
  for (application *app : by_submission()) {
    if (app->state != application_state::failing) {
      move(*app, application_event::fail, messages::partition_removed(config.tuning.drain_timeout_ms));
    }
    for (allocation *a : by_sequence(app->allocations)) {
      decisions.emit_released(*a, termination::stopped_by_rm, {cause::partition_removed});
      remove_allocation(*a, allocation_event::release);
    }
    drop_asks(*app, termination::stopped_by_rm, {cause::partition_removed}, false);
    settle(*app);
  }
  gone = true;
}

}  // namespace tenon::internal
