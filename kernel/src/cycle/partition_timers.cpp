// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Timers: which are void by now, and what happens when one of the others is due.
#include <algorithm>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

void partition::fire(const timer &t) {
  switch (t.kind) {
    case timer_kind::cleaner:
      return clean_queues();
    case timer_kind::drain:
      return fail_everything();
    case timer_kind::application_state: {
      application &app = applications[t.object];
      switch (app.state) {
        case application_state::starting:
          return run(app, messages::starting_timeout(time_in_state(app)));
        case application_state::completing:
          move(app, application_event::complete, messages::completing_timeout(time_in_state(app)));
          return;
        default:
          break;
      }
      std::erase(ended, &app);
      move(app, application_event::expire, messages::terminated_timeout(time_in_state(app), app.state.name()));
      return forget(app);
    }
    case timer_kind::application_execution:
      return execution_timed_out(applications[t.object]);
    case timer_kind::app_rekey:
    case timer_kind::queue_rekey:
      return keys.fire(t);
    case timer_kind::placeholders:
    case timer_kind::left_over:
      return placeholder_timers.fire(t);
    case timer_kind::quota:
      if (const auto went = quotas.is_due(t.epoch); went.by != nullptr && facts.listened()) {
        facts.tell(fact_kind::queue_quota, *went.by, &went.by->max, false, std::to_string(went.victims));
      }
      return;
    case timer_kind::reservation_wait:
      return reservations.is_due(t);
    case timer_kind::rm_check:
      return proposals.is_late(t.epoch);
    case timer_kind::ask_alarm:
      return alarms.rang(asks[t.object]);
    case timer_kind::allocation_execution: {
      allocation &a = allocations[t.object];
      if (a.state == allocation_state::allocated) expire(a, {cause::allocation_timeout});
      return;
    }
  }
}

bool partition::is_void(const timer &t) const {
  const auto of_app = [&](auto epoch) {
    const application &app = applications[t.object];
    return !app.live || app.*epoch != t.epoch;
  };
  switch (t.kind) {
    case timer_kind::cleaner:
    case timer_kind::queue_rekey:
      return false;
    case timer_kind::drain:
      return drain_epoch != t.epoch;
    case timer_kind::application_state:
      return of_app(&application::epoch);
    case timer_kind::application_execution:
      return of_app(&application::run_epoch);
    case timer_kind::app_rekey:
      return of_app(&application::submission) || applications[t.object].key.armed_ms != t.due_ms;
    case timer_kind::placeholders:
    case timer_kind::left_over:
      return placeholder_timers.is_void(t);
    case timer_kind::quota:
      return !quotas.runs(t.epoch);
    case timer_kind::reservation_wait:
      return reservations.is_void(t);
    case timer_kind::rm_check:
      return proposals.is_void(t);
    case timer_kind::ask_alarm:
      return ask_alarms::is_void(asks[t.object], t.epoch);
    case timer_kind::allocation_execution:
      return !allocations[t.object].live || allocations[t.object].sequence != t.epoch;
  }
  return false;
}

}  // namespace tenon::internal
