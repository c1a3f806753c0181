// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "commands/administration.hpp"

#include <algorithm>

#include "core.hpp"
#include "lifecycle/application_states.hpp"
#include "lifecycle/queue_tree.hpp"
#include "queueing/change_dispatcher.hpp"
#include "queueing/gang_turns.hpp"
#include "queueing/ready_index.hpp"
#include "queueing/reserved_line.hpp"
#include "rules/placement.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::internal {

// -- The partition. --

std::string administration::problem_with(const tenon::change_partition &c) const {
  const auto event = static_cast<object_event>(c.event);
  if (c.event > static_cast<uint8_t>(object_event::stop)) return messages::partition_event_unknown(c.event);
  if (!of.state.may(event)) {
    return messages::event_not_possible(of.state.refusal(event), of.state == object_state::draining);
  }
  const bool is_left_out = event == object_event::start && drain_epoch_ != 0;
  return is_left_out ? messages::partition_start_while_draining(of.name) : std::string{};
}

void administration::obey(const tenon::change_partition &c) {
  if (!problem_with(c).empty()) return;
  turn(static_cast<object_event>(c.event));
  of.stops.partition = of.state;
}

void administration::turn(object_event event) {
  const object_state before = of.state;
  ledger::transition(of.state, event);
  if (of.state != before) of.since_ms = clock.now_ms();
}

void administration::leave_out() {
  if (drain_epoch_ != 0) return;
  turn(object_event::remove);  // an administrator may have drained it already
  arm_drain(clock.now_ms() + of.config.tuning.drain_timeout_ms);
}

void administration::arm_drain(int64_t due_ms) {
  drain_epoch_ = clock.next_epoch();
  clock.arm(due_ms, timer_kind::drain, 0, drain_epoch_);
}

void administration::take_back() {
  drain_epoch_ = 0;
  const object_state wanted = of.stops.partition;
  if (of.state == wanted) return;
  if (of.state == object_state::draining) turn(object_event::start);
  if (wanted != object_state::active) turn(wanted == object_state::stopped ? object_event::stop : object_event::remove);
}

void administration::arm_cleaner() {
  const int64_t period_ms = std::max<int64_t>(1, of.config.tuning.queue_cleanup_ms);
  clock.arm(add_saturating(clock.now_ms(), period_ms), timer_kind::cleaner, 0, 0);
}

void administration::fire(const timer &t) {
  if (t.kind == timer_kind::drain) {
    const std::string text = messages::partition_removed(of.config.tuning.drain_timeout_ms);
    for (application *app : applications.by_submission()) states.fail_at_once(*app, text);
    over_ = true;
    return;
  }
  queues.clean();
  if (drain_epoch_ != 0 && applications.active.empty()) {
    over_ = true;
  } else {
    arm_cleaner();
  }
}

bool administration::is_void(const timer &t) const { return t.kind == timer_kind::drain && drain_epoch_ != t.epoch; }

// -- Queues. --

// A queue that was stopped and is gone can be started: one that is made in its place would be stopped.
std::string administration::check(const tenon::change_queue &c, queue *&out) const {
  out = queues.find_queue(c.queue);
  const auto event = static_cast<object_event>(c.event);
  if (out == nullptr && event == object_event::start && of.stops.queues.contains(c.queue)) return {};
  if (out == nullptr) return placement::refusal_of_missing(queues, c.queue);
  if (event != object_event::stop && event != object_event::start) return messages::queue_event_unknown(c.event);
  // Draining is undone by a configuration that names the queue, and by nothing else.
  const bool possible = out->state.may(event) && out->state != object_state::draining;
  return possible ? std::string{}
                  : messages::event_not_possible(out->state.refusal(event), out->state == object_state::draining);
}

std::string administration::problem_with(const tenon::change_queue &c) const {
  queue *ignored = nullptr;
  return check(c, ignored);
}

void administration::obey(const tenon::change_queue &c) {
  queue *found = nullptr;
  if (!check(c, found).empty()) return;
  if (static_cast<object_event>(c.event) == object_event::stop) {
    of.stops.queues.emplace(c.queue);
  } else if (const auto stopped = of.stops.queues.find(c.queue); stopped != of.stops.queues.end()) {
    of.stops.queues.erase(stopped);
  }
  if (found == nullptr) return;
  changes.apply(queue_moved{*found, static_cast<object_event>(c.event)});
}

}  // namespace tenon::internal
