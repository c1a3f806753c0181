// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "partition.hpp"

#include <span>
#include <utility>

namespace tenon::internal {

partition::partition(core &c, partition_id handle, std::string rm_id, std::string external_name, int64_t check_deadline,
                     uint64_t registration_epoch, administrators_stops of_last)
    : partition_model(std::move(rm_id), std::move(external_name), c.now_ms, c.options.max_resource_types),
      shared(c),
      id(handle),
      check_deadline_ms(check_deadline),
      epoch(registration_epoch) {
  stops = std::move(of_last);
}

partition::~partition() = default;

bool partition::decide_with_canary() {
  const size_t before = shared.outbox.size();
  const bool made = cycle.decide();
  canary.decided(std::span<const decision_view>(shared.outbox).subspan(before));
  return made;
}

bool partition::inspect(uint32_t most) {
  if (paused) return false;
  if (shared.answers.are_told()) faults.fail_as_told();
  fair_maxima.follow_total();
  inspector.inspect(state == object_state::stopped, most);
  return !inspector.round().is_over();
}

void partition::pause(bool rm_is_away) {
  paused = rm_is_away;
  if (paused) inspector.end_round();
}

void partition::rm_is_here(bool is) {
  if (!is) return proposed.stop_deadlines();
  obey(tenon::check_again{});
  proposed.restart_deadlines();
}

bool partition::describe(std::string_view application, std::string_view key, placement_view &out) const {
  const internal::application *app = find_application(application);
  decision_view about;
  about.source = &decisions;
  about.subject = app == nullptr ? nullptr : app->asks.find(key);
  return about.subject != nullptr && decision_teller::describe(about, out);
}

bool partition::wake_refused() {
  if (!lines.has_refused()) return false;
  lines.wake_refused();
  return true;
}

void partition::flush() {
  applications.flush();
  asks.flush([this](ask &a) { texts.drop(a.key); });
  allocations.flush();
  asks.make_room_ahead();
  allocations.make_room_ahead();
  replacements.flush();
  held_devices_of.flush();
  groups.flush();
  reservations.flush();
  waits.flush();
  nodes.flush();
  queues.flush();
  faults.flush();
}

// -- Timers. --

void partition::fire(const timer &t) {
  bring_about(t);
  quotas.stop_idle();
}

void partition::bring_about(const timer &t) {
  switch (t.kind) {
    case timer_kind::cleaner:
    case timer_kind::drain:
      return administration.fire(t);
    case timer_kind::application_state:
    case timer_kind::application_execution:
      return application_states.fire(t);
    case timer_kind::app_rekey:
      return keys.is_due(applications[t.object], t);
    case timer_kind::queue_rekey:
      return keys.is_due(t);
    case timer_kind::placeholders:
    case timer_kind::left_over:
      return placeholder_timers.fire(t);
    case timer_kind::quota:
      return quotas.is_due(t.epoch);
    case timer_kind::reservation_wait:
      return reservations.is_due(t);
    case timer_kind::rm_check:
      return answers.is_late(t.epoch);
    case timer_kind::ask_alarm:
      return alarms.rang(asks[t.object]);
    case timer_kind::predicate:
      verdicts.ask_again(t.epoch);
      return changes.apply(verdicts_forgotten{});
    case timer_kind::allocation_execution:
      if (allocation &a = allocations[t.object]; a.state == allocation_state::allocated) {
        allocation_states.expire(a, {cause::allocation_timeout});
      }
      return;
  }
}

bool partition::is_void(const timer &t) const {
  switch (t.kind) {
    case timer_kind::cleaner:
    case timer_kind::drain:
      return administration.is_void(t);
    case timer_kind::application_state:
    case timer_kind::application_execution:
      return application_states.is_void(t);
    case timer_kind::queue_rekey:
      return false;
    case timer_kind::app_rekey: {
      const application &app = applications[t.object];
      return !app.live || app.submission != t.epoch || app.key.armed_ms != t.due_ms;
    }
    case timer_kind::placeholders:
    case timer_kind::left_over:
      return placeholder_timers.is_void(t);
    case timer_kind::quota:
      return !quotas.runs(t.epoch);
    case timer_kind::reservation_wait:
      return reservations.is_void(t);
    case timer_kind::rm_check:
      return proposed.is_void(t);
    case timer_kind::ask_alarm:
      return ask_alarms::is_void(asks[t.object], t.epoch);
    case timer_kind::predicate:
      return verdicts.is_void(t.epoch);
    case timer_kind::allocation_execution:
      return !allocations[t.object].live || allocations[t.object].sequence != t.epoch;
  }
  return false;
}

}  // namespace tenon::internal
