// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/open_proposals.hpp"

#include <algorithm>
#include <vector>

#include "core.hpp"

namespace tenon::internal {

const proposal *open_proposals::find(uint64_t number) const {
  const auto found = open_.find(number);
  if (found == open_.end()) return nullptr;
  const std::vector<proposal> &all = found->second.owner->proposals;
  return &*std::find_if(all.begin(), all.end(), [&](const proposal &p) { return p.number == number; });
}

void open_proposals::obey(const checks_delivered &c) {
  for (auto at = open_.upper_bound(delivered_to_); at != open_.end() && at->first <= c.number; ++at) {
    arm_deadline(at->first, at->second);
  }
  delivered_to_ = std::max(delivered_to_, c.number);
}

void open_proposals::arm_deadline(uint64_t number, open_proposal &p) {
  p.has_deadline = true;
  clock.arm(add_saturating(clock.now_ms(), check_deadline_ms), timer_kind::rm_check, ++p.armed, number);
}

void open_proposals::stop_deadlines() {
  for (auto &[number, p] : open_) p.has_deadline = false;
}

void open_proposals::restart_deadlines() {
  for (auto &[number, p] : open_) {
    if (number <= delivered_to_) arm_deadline(number, p);
  }
}

void open_proposals::follow(uint64_t number, uint32_t armed, bool has_deadline) {
  open_proposal &p = open_.at(number);
  p.armed = armed;
  p.has_deadline = has_deadline;
}

void open_proposals::follow(const open_proposals &other) {
  for (const auto &[number, p] : open_) {
    const open_proposal &of = other.at(number);
    follow(number, of.armed, of.has_deadline);
  }
  delivered_to_ = other.delivered_to_;
}

bool open_proposals::is_void(const timer &t) const {
  const auto found = open_.find(t.epoch);
  return found == open_.end() || !found->second.has_deadline || found->second.armed != t.object;
}

}  // namespace tenon::internal
