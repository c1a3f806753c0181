// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What people do: queues stopped and started, applications ended.
#include <algorithm>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

std::optional<bool> partition::may_administer(std::string_view path, std::string_view user,
                                              std::span<const std::string_view> groups_of_user) const {
  const queue *q = find_queue(path);
  if (q == nullptr) return std::nullopt;
  for (; q != nullptr; q = q->parent) {
    if (q->admin_acl.allows(user, groups_of_user)) return true;
  }
  return false;
}

std::string partition::problem_with(const tenon::change_partition &c) const {
  const auto event = static_cast<object_event>(c.event);
  if (c.event > static_cast<uint8_t>(object_event::stop)) return messages::partition_event_unknown(c.event);
  if (!state.may(event)) return state.refusal(event);
  const bool undrains = event == object_event::start && state == object_state::draining;
  return undrains ? messages::partition_start_while_draining(name) : std::string{};
}

void partition::obey(const tenon::change_partition &c) {
  if (problem_with(c).empty()) turn(static_cast<object_event>(c.event));
}

void partition::turn(object_event event) {
  const object_state before = state;
  ledger::transition(state, event);
  if (state != before) since_ms = shared.now_ms;
}

std::string partition::problem_with(const tenon::change_queue &c) const {
  const queue *q = find_queue(c.queue);
  if (q == nullptr) return messages::no_queue(c.queue);
  const auto event = static_cast<object_event>(c.event);
  if (event != object_event::stop && event != object_event::start) return messages::queue_event_unknown(c.event);
  // Draining is undone by a configuration that names the queue, and by nothing else.
  const bool possible = q->state.may(event) && q->state != object_state::draining;
  return possible ? std::string{} : q->state.refusal(event);
}

void partition::obey(const tenon::change_queue &c) {
  if (!problem_with(c).empty()) return;
  queue &q = *find_queue(c.queue);
  apply(queue_moved{q, static_cast<object_event>(c.event)});
  if (q.state == object_state::stopped) {
    ready.queue_became_unready(q);
  } else {
    ready.queue_became_ready(q);
  }
  for_each_queue(q, [&](queue &below) {
    for (application *app : below.apps) {
      gangs.changed(*app);
      reservations.refresh(*app);
    }
  });
}

std::string partition::problem_with(const tenon::fail_application &c) const {
  const application *app = find_application(c.application);
  if (app == nullptr) return messages::no_application(c.application);
  // One that fails already has failed only when all of it is gone.
  const bool possible = app->state.may(application_event::fail) && app->state != application_state::failing;
  return possible ? std::string{} : app->state.refusal(application_event::fail);
}

void partition::obey(const tenon::fail_application &c) {
  if (!problem_with(c).empty()) return;
  application &app = *find_application(c.application);
  const std::string words = messages::application_killed(c.text);
  move(app, application_event::fail, words);
  const reason why{cause::words, decisions.keep(words)};
  expire_all(app, why, false);
  drop_asks(app, termination::timeout, why, false);
  settle(app);
}

}  // namespace tenon::internal
