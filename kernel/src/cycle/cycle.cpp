// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/cycle.hpp"

#include "core.hpp"
#include "cycle/placeholder_pass.hpp"
#include "cycle/policy_faults.hpp"
#include "cycle/queue_pass.hpp"
#include "cycle/reserved_pass.hpp"
#include "ready/fair_max.hpp"
#include "ready/ready_index.hpp"
#include "ready/sort_keys.hpp"

namespace tenon::internal {

bool cycle::has_work() const {
  return !paused_ && state_ != object_state::stopped &&
         (reserved_.has_work() || placeholders_.has_work() || !ready_.empty() || keys_.has_stale());
}

bool cycle::decide() {
  if (paused_ || state_ == object_state::stopped) return false;
  if (shared_.answers.are_told()) faults_.fail_as_told();
  keys_.begin_periods(shared_.now_ms);
  if (reserved_.decide() || placeholders_.decide()) return true;
  fair_maxima_.follow_total();
  keys_.flush_stale();
  return queues_.decide();
}

}  // namespace tenon::internal
