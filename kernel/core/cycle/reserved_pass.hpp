// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reserved pass: pass A of the cycle, in which those for whom a node is kept go first.
#pragma once

#include <vector>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct reserved_pass_access {
  reserved_line &line;
  ask_lines &lines;
  const class_table &classes;
  const partition_config &config;
  ready_index &ready;
  const internal::headroom &headroom;
  internal::reservations &reservations;
  placement_checks &checks;
  internal::placer &placer;
  internal::preemption &preemption;
  required_node_preemption &on_node;
};

class reserved_pass : reserved_pass_access {
 public:
  explicit reserved_pass(const reserved_pass_access &all) : reserved_pass_access(all) {}

  [[nodiscard]] bool has_work() const;
  // Ends the reservations of asks that may not run any more, oldest first.
  void end_idle();
  bool decide();
  // Asks whose victims are gone take their turn among all others (pass C), where such of higher priority may come
  // before them. `made`: there was a decision.
  void let_go_by_order() {
    if (!by_order_.empty()) line_up_by_order();
  }
  bool place_left_over();  // whose turn did not come
  void settle(bool made) {
    if (!by_order_.empty()) settle_by_order(made);
  }

 private:
  [[nodiscard]] bool may_run(const reservation &r) const;
  bool try_one(reservation &r);
  bool place(reservation &r, bool &refused);
  bool place_on_own(reservation &r, bool &refused);
  // The ask takes its turn in the order of its leaf, which keeps that, unless preemption freed the node for it.
  [[nodiscard]] bool waits_in_order(const reservation &r) const;
  void let_stand_aside(reservation &r);
  void line_up_by_order();
  void settle_by_order(bool made);

  std::vector<reservation *> by_order_;
  bool are_in_order_ = false;  // the asks of these stand in line with all others
};

}  // namespace tenon::internal
