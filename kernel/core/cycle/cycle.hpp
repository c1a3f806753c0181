// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The cycle: one decision at a time. Those who have a reservation go first (pass A), then real asks take the place of
// placeholders (pass B), then comes whoever is first in the order of the queues (pass C). At last others give way to
// those that require their node (pass D). A look that fails parks what failed, so every turn of the loop either decides
// or leaves less to look at.
#pragma once

#include "forward.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct cycle_access {
  const core &shared;
  const bool &paused;  // the resource manager is not there
  const owned_state<object_state, partition> &state;
  const ready_index &ready;
  const kept_orders &orders;
  sort_keys &keys;
  fair_max &fair_maxima;
  policy_faults &faults;
  reserved_pass &reserved;
  placeholder_pass &placeholders;
  queue_pass &queues;
  required_node_preemption &on_node;
};

class cycle : cycle_access {
 public:
  explicit cycle(const cycle_access &all) : cycle_access(all) {}

  [[nodiscard]] bool has_work() const;
  [[nodiscard]] bool is_idle() const;  // and the time alone brings no work
  // Makes one decision, or gives false when there is none to make now.
  bool decide();
};

}  // namespace tenon::internal
