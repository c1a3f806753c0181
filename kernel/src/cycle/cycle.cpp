// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/cycle.hpp"

#include <algorithm>

#include "core.hpp"
#include "cycle/policy_faults.hpp"
#include "model/may_run.hpp"
#include "ready/ask_alarms.hpp"
#include "ready/ask_lines.hpp"
#include "ready/fair_max.hpp"
#include "ready/ready_index.hpp"
#include "ready/sort_keys.hpp"
#include "rules/gangs.hpp"
#include "rules/lifecycles.hpp"
#include "rules/limits.hpp"
#include "rules/node_search.hpp"
#include "rules/placement_checks.hpp"
#include "rules/preemption.hpp"
#include "rules/reservations.hpp"

namespace tenon::internal {

bool cycle::has_work() const {
  return !paused_ && state_ != object_state::stopped &&
         (reservations_.has_work() || gangs_.has_work() || !ready_.empty() || keys_.has_stale());
}

bool cycle::decide() {
  if (paused_ || state_ == object_state::stopped) return false;
  if (shared_.answers.are_told()) faults_.fail_as_told();
  keys_.begin_periods(shared_.now_ms);
  return reservations_.decide() || gangs_.decide() || decide_ask();
}

bool cycle::decide_ask() {
  fair_maxima_.follow_total();
  keys_.flush_stale();
  while (leaf_class *u = ready_.next()) {
    if (try_unit(*u)) return true;
  }
  return false;
}

bool cycle::try_unit(leaf_class &u) {
  app_class &g = *u.ready.top();
  application &app = *g.owner;
  ask &a = *g.first();
  ask_class &c = classes_[u.class_id];
  ++shared_.counters.asks_examined;
  checks_.begin_look();
  if (ready_.hold_back(app)) return false;
  type_index type = no_type;
  if (usage_node *full = limits_.blocking(app, c, type); full != nullptr) {
    ready_.park_on_limit(g, *full, type);
    return false;
  }
  queue *full = blocking_queue(*u.leaf, c, total_, type);
  bool refused = false;
  if (!c.required_node.empty()) {
    if (full == nullptr && reservations_.try_required(a, c, refused)) return true;
  } else {
    if (full == nullptr && !c.blocked) {
      if (node *n = search_.find(c, a, refused); n != nullptr) {
        lifecycle_.commit(a, *n);
        return true;
      }
      if (!refused) ready_.block(c);
    }
    if (a.preempt_other && preemption_.try_for(a)) return true;
    if (full == nullptr && reservations_.try_to_reserve(a, c, refused)) return true;
  }
  if (refused) {  // nodes would do, the RM wants none of them: only this ask waits
    lines_.move_to_refused(a);
  } else if (u.kind == unit_kind::preempts) {
    lines_.move_to(a, alarms_.kind_for(a));
  } else if (full != nullptr) {
    ready_.park_on_queue(u, *full, type);
  } else {
    ready_.park_on_nodes(u, u.kind == unit_kind::reserves && config_.tuning.reservation_enabled);
  }
  return false;
}

}  // namespace tenon::internal
