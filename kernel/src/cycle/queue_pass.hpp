// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Queue pass: pass C of the cycle, in which all other asks are tried in the order of queues and applications. One that
// cannot be placed may preempt or reserve a node; else it is parked on what it waits for.
#pragma once

#include "model/ask_class.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

class ask_alarms;
class ask_lines;
class headroom;
class placement_checks;
class placer;
class preemption;
class ready_index;
class required_node;
class reserver;

class queue_pass {
 public:
  queue_pass(class_table &classes, ready_index &ready, ask_lines &lines, const ask_alarms &alarms,
             const internal::headroom &headroom, placement_checks &checks, internal::placer &placer,
             internal::preemption &preemption, internal::reserver &reserver, internal::required_node &required)
      : classes_(classes),
        ready_(ready),
        lines_(lines),
        alarms_(alarms),
        headroom_(headroom),
        checks_(checks),
        placer_(placer),
        preemption_(preemption),
        reserver_(reserver),
        required_(required) {}

  bool decide();

 private:
  bool try_unit(leaf_class &u);
  bool try_ask(ask &a, ask_class &c, bool has_headroom, bool &refused);

  class_table &classes_;
  ready_index &ready_;
  ask_lines &lines_;
  const ask_alarms &alarms_;
  const internal::headroom &headroom_;
  placement_checks &checks_;
  internal::placer &placer_;
  internal::preemption &preemption_;
  internal::reserver &reserver_;
  internal::required_node &required_;
};

}  // namespace tenon::internal
