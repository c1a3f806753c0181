// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Core: what all partitions of one kernel share: the clock, the timers, the outbox and the counters.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/timers.hpp"
#include "journal/recorded_answers.hpp"
#include "tenon/kernel/kernel.hpp"

namespace tenon::internal {

struct core {
  core(policy_source &p, kernel_options o) : policies(p), options(o) {}

  policy_source &policies;
  kernel_options options;
  int64_t now_ms = 0;
  kernel_counters counters;
  rm_check check;
  rm_check reservation_check;  // of resource managers that answer proposals; false: not yet
  fact_listener *listener = nullptr;
  recorded_answers answers;
  internal::timers timers;
  uint64_t next_epoch = 1;
  uint64_t next_decision = 1;
  std::vector<decision_view> outbox;
  std::deque<std::string> texts;  // that decisions of the outbox point to

  // Within a step; of a resource manager that answers proposals, about reservations alone.
  [[nodiscard]] bool rm_is_asked() const { return check || answers.has_checks(); }
  [[nodiscard]] bool rm_is_asked_to_reserve() const { return reservation_check || answers.has_checks(); }

  // A time that a resource manager sends of something that happened: now, where it sends none or one to come.
  [[nodiscard]] int64_t past_time(int64_t said_ms) const { return said_ms == 0 ? now_ms : std::min(said_ms, now_ms); }

  // The decision is complete but for sequence and time. Its views must live until the next drain.
  decision_view &emit(const decided_what &what, std::string_view rm, std::string_view partition_name,
                      partition_id partition = partition_id::none) {
    decision_view &d = outbox.emplace_back();
    d.sequence = next_decision++;
    d.now_ms = now_ms;
    d.what = what;
    d.rm = rm;
    d.partition = partition_name;
    d.where = partition;
    ++counters.decisions;
    return d;
  }

  // A copy of the text that lives until the next drain.
  std::string_view keep(std::string text) { return texts.emplace_back(std::move(text)); }
};

// The time of one partition, and what it does later.
class partition_clock {
 public:
  partition_clock(core &shared, partition_id partition) : shared_(&shared), partition_(partition) {}

  [[nodiscard]] int64_t now_ms() const { return shared_->now_ms; }
  [[nodiscard]] uint64_t next_epoch() const { return shared_->next_epoch++; }
  void arm(int64_t due_ms, timer_kind kind, uint32_t object, uint64_t epoch) const {
    shared_->timers.arm(due_ms, kind, partition_, object, epoch);
  }

 private:
  core *shared_;
  partition_id partition_;
};

}  // namespace tenon::internal
