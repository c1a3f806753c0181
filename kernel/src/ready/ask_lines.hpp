// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Ask lines: where a pending ask stands (ask_line). Those that wait for placeholders stand in their task group, those
// with a reservation among the reserved ones, those that the resource manager refused everywhere aside, and all others
// in the group of their class, which the ready index knows.
#pragma once

#include <vector>

#include "model/objects.hpp"

namespace tenon::internal {

struct partition;

class ask_lines {
 public:
  explicit ask_lines(partition &p) : p_(p) {}

  void enqueue(ask &a);  // where its kind stands
  void dequeue(ask &a);  // from wherever it stands
  void set_aside(ask &a);
  void move_to(ask &a, unit_kind kind);  // of one in ask_line::run
  [[nodiscard]] bool has_refused() const { return !refused_.empty(); }
  void wake_refused();                      // something changed for the resource manager
  void reconsider_all(bool other_classes);  // the configuration changed

 private:
  void join_run(ask &a, unit_kind kind = unit_kind::young);
  void leave_run(ask &a);
  static int32_t highest_of(const application &app);
  void set_priority(application &app, int32_t highest);  // the highest of its pending asks

  partition &p_;
  std::vector<ask *> refused_;  // by the resource manager, in the order of refusal
};

}  // namespace tenon::internal
