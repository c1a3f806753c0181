// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Ask lines: where a pending ask stands (ask_line). Those that wait for placeholders stand in their task group, those
// with a reservation among the reserved ones, those that the resource manager refused everywhere among the refused
// ones, and all others in the group of their class, which the ready index knows.
#pragma once

#include <vector>

#include "model/objects.hpp"

namespace tenon::internal {

class ask_alarms;
class change_writer;
class placeholder_line;
class queue_priorities;
class ready_index;
class reserved_line;
class sort_keys;

class ask_lines {
 public:
  // `groups`: of the asks in ask_line::run.
  ask_lines(slab<app_class> &groups, ready_index &ready, ask_alarms &alarms, sort_keys &keys,
            queue_priorities &priorities, reserved_line &reserved, placeholder_line &placeholders,
            change_writer &changes)
      : groups_(groups),
        ready_(ready),
        alarms_(alarms),
        keys_(keys),
        priorities_(priorities),
        reserved_(reserved),
        placeholders_(placeholders),
        changes_(changes) {}

  void enqueue(ask &a);  // where its kind stands
  void dequeue(ask &a);  // from wherever it stands
  void move_to_refused(ask &a);
  void move_to(ask &a, unit_kind kind);  // of one in ask_line::run
  [[nodiscard]] bool has_refused() const { return !refused_.empty(); }
  void wake_refused();  // something changed for the resource manager

 private:
  void join_run(ask &a, unit_kind kind = unit_kind::plain);
  void leave_run(ask &a);
  static int32_t highest_of(const application &app);
  void set_priority(application &app, int32_t highest);  // the highest of its pending asks

  slab<app_class> &groups_;
  ready_index &ready_;
  ask_alarms &alarms_;
  sort_keys &keys_;
  queue_priorities &priorities_;
  reserved_line &reserved_;
  placeholder_line &placeholders_;
  change_writer &changes_;
  std::vector<ask *> refused_;  // by the resource manager, in the order of refusal
};

}  // namespace tenon::internal
