// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Queue pass: pass C of the cycle, in which all other asks are tried in the order of queues and applications. One that
// cannot be placed may preempt or reserve a node; else it is parked on what it waits for.
#pragma once

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct queue_pass_access {
  class_table &classes;
  ready_index &ready;
  kept_orders &orders;
  limit_lines &limited;
  ask_lines &lines;
  const ask_alarms &alarms;
  const reserved_line &reserved;
  const internal::headroom &headroom;
  placement_checks &checks;
  internal::placer &placer;
  internal::whole_gang &whole_gang;
  internal::preemption &preemption;
  internal::reserver &reserver;
  internal::required_node &required;
};

class queue_pass : queue_pass_access {
 public:
  explicit queue_pass(const queue_pass_access &all) : queue_pass_access(all) {}

  bool decide();

 private:
  bool try_unit(leaf_class &u);
  bool try_ask(ask &a, ask_class &c, bool has_headroom, bool &refused);
};

}  // namespace tenon::internal
