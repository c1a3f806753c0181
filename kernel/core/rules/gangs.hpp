// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Gangs: what the task groups of an application hold.
#pragma once

#include <cstdint>
#include <string_view>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct gangs_access {
  ask_lines &lines;
  gang_turns &turns;
  change_dispatcher &changes;
};

class gangs : gangs_access {
 public:
  explicit gangs(const gangs_access &all) : gangs_access(all) {}

  task_group *group_named(application &app, std::string_view name);  // null: the name is empty
  // So many placeholders of it ended elsewhere.
  void restore_ended(application &app, std::string_view name, int64_t replaced, int64_t timed_out);

  // -- Placeholders come and go. --
  void count_pending(const ask &placeholder, int64_t times);  // so many more are pending
  void hold(allocation &placeholder);
  void make_available(allocation &placeholder);   // it is Allocated, and nothing is proposed in its place
  void leave_allocated(allocation &placeholder);  // it is not any more
  void resized(allocation &placeholder, uint32_t class_before);
  void let_go(allocation &placeholder);

 private:
  // `pending`, `held`: so many more. With the first one the group's real asks begin to wait, with the last they stop.
  void count_placeholders(task_group &g, int64_t pending, int64_t held);
  static void note_size(task_group &g, uint32_t class_id);
  static void count_size(task_group &g, uint32_t class_id, int sign);
  void look_at_refused(task_group &g);
};

}  // namespace tenon::internal
