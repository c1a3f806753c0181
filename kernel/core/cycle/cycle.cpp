// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/cycle.hpp"

#include "core.hpp"
#include "cycle/placeholder_pass.hpp"
#include "cycle/policy_faults.hpp"
#include "cycle/queue_pass.hpp"
#include "cycle/reserved_pass.hpp"
#include "queueing/fair_max.hpp"
#include "queueing/kept_orders.hpp"
#include "queueing/ready_index.hpp"
#include "queueing/sort_keys.hpp"
#include "rules/required_node_preemption.hpp"

namespace tenon::internal {

bool cycle::has_work() const {
  return !paused && state != object_state::stopped &&
         (reserved.has_work() || placeholders.has_work() || on_node.has_work() || !ready.empty() || keys.has_stale() ||
          (!orders.empty() && keys.is_period_over()));
}

bool cycle::is_idle() const { return !has_work() && (orders.empty() || !keys.have_periods()); }

bool cycle::decide() {
  if (paused || state == object_state::stopped) return false;
  if (shared.answers.are_told()) faults.fail_as_told();
  keys.begin_periods();
  reserved.end_idle();
  bool made = reserved.decide() || placeholders.decide();
  if (!made) {
    reserved.let_go_by_order();
    fair_maxima.follow_total();
    keys.flush_stale();
    made = queues.decide() || reserved.place_left_over();
  }
  reserved.settle(made);
  return made || on_node.decide();
}

}  // namespace tenon::internal
