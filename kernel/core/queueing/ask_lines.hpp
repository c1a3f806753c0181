// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Ask lines: where a pending ask stands (ask_line).
// - It waits for placeholders: in its task group.
// - It has a reservation: among the reserved ones.
// - The resource manager refused it everywhere: among the refused ones.
// - All others: in the group of their class, which the ready index knows.
#pragma once

#include <vector>

#include "base/number_table.hpp"
#include "forward.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct ask_lines_access {
  slab<app_class> &groups;  // of the asks in ask_line::run
  ready_index &ready;
  kept_orders &orders;
  ask_alarms &alarms;
  sort_keys &keys;
  queue_priorities &priorities;
  reserved_line &reserved;
  gang_turns &gangs;
  change_writer &changes;
};

class ask_lines : ask_lines_access {
 public:
  explicit ask_lines(const ask_lines_access &all) : ask_lines_access(all) {}

  void enqueue(ask &a);        // where its kind stands
  void dequeue(ask &a);        // from wherever it stands
  void line_up_again(ask &a);  // what it stood in line for changed
  void move_to_refused(ask &a) {
    wait_as_refused(a);
    refused_.push_back(&a);
  }
  // Of a gang that waits for headroom as a whole: until the ready index wakes it.
  void wait_as_refused(ask &a);
  void wake_gang(application &app);
  void line_up_gang(application &app);
  void move_to(ask &a, unit_kind kind);  // of one in ask_line::run
  [[nodiscard]] bool has_refused() const { return !refused_.empty(); }
  void wake_refused();                    // something changed for the resource manager
  void give_up_groups(application &app);  // its asks stand nowhere

 private:
  app_class &group_for(application &app, unit_id which);
  void drop(app_class &g);  // which has no asks
  void join_run_with_gang(ask &a);
  void join_run(ask &a, unit_kind kind = unit_kind::plain);
  void leave_run(ask &a);
  void give_up(app_class &g);  // which is in no list of its application
  void join_line(ask &a);
  void leave_line(ask &a);
  void count_emptying(const ask &a, bool in);  // of a line in which it has turns
  void set_priority(application &app);         // the highest of its pending asks

  number_table by_unit_;        // groups, by application and unit
  std::vector<ask *> refused_;  // by the resource manager, in the order of refusal
};

}  // namespace tenon::internal
