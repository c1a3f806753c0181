// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The cycle: one decision at a time. Those who have a reservation go first (pass A), then real asks take the place of
// placeholders (pass B), then comes whoever is first in the order of the queues (pass C). A look that fails parks what
// failed, so every turn of the loop either decides or leaves less to look at.
#pragma once

#include "model/ask_class.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

class allocation_lifecycle;
class ask_alarms;
class ask_lines;
class fair_max;
class gangs;
class limits;
class node_search;
class placement_checks;
class policy_faults;
class preemption;
class ready_index;
class reservations;
class sort_keys;
struct core;
struct partition;

class cycle {
 public:
  // `paused`: the resource manager is not there. `total`: of all nodes.
  cycle(core &shared, const partition_config &config, const bool &paused,
        const owned_state<object_state, partition> &state, class_table &classes, const resources &total,
        ready_index &ready, sort_keys &keys, fair_max &fair_maxima, ask_lines &lines, const ask_alarms &alarms,
        const internal::limits &limits, placement_checks &checks, node_search &search,
        internal::reservations &reservations, internal::preemption &preemption, internal::gangs &gangs,
        policy_faults &faults, allocation_lifecycle &lifecycle)
      : shared_(shared),
        config_(config),
        paused_(paused),
        state_(state),
        classes_(classes),
        total_(total),
        ready_(ready),
        keys_(keys),
        fair_maxima_(fair_maxima),
        lines_(lines),
        alarms_(alarms),
        limits_(limits),
        checks_(checks),
        search_(search),
        reservations_(reservations),
        preemption_(preemption),
        gangs_(gangs),
        faults_(faults),
        lifecycle_(lifecycle) {}

  [[nodiscard]] bool has_work() const;
  // Makes one decision, or gives false when there is none to make now.
  bool decide();

 private:
  bool decide_ask();
  bool try_unit(leaf_class &u);

  core &shared_;
  const partition_config &config_;
  const bool &paused_;
  const owned_state<object_state, partition> &state_;
  class_table &classes_;
  const resources &total_;
  ready_index &ready_;
  sort_keys &keys_;
  fair_max &fair_maxima_;
  ask_lines &lines_;
  const ask_alarms &alarms_;
  const internal::limits &limits_;
  placement_checks &checks_;
  node_search &search_;
  internal::reservations &reservations_;
  internal::preemption &preemption_;
  internal::gangs &gangs_;
  policy_faults &faults_;
  allocation_lifecycle &lifecycle_;
};

}  // namespace tenon::internal
