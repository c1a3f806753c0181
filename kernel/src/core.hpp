// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Core: what all partitions of one kernel share: the clock, the timers, the outbox and the counters.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/timers.hpp"
#include "tenon/kernel/kernel.hpp"

namespace tenon::internal {

struct core {
  core(policy_source &p, kernel_options o) : policies(p), options(o) {}

  policy_source &policies;
  kernel_options options;
  int64_t now_ms = 0;
  kernel_counters counters;
  rm_check check;
  fact_listener *listener = nullptr;
  std::span<const step_answer> told;                       // answers of the recorded command that is played
  size_t told_used = 0;                                    // of them, by next_told()
  const std::span<const step_answer> *replayed = nullptr;  // `told`, where the RM's answers are among them
  uint64_t decided = 0;                                    // decisions of the step that runs
  std::vector<step_answer> used_answers;                   // of the command that runs
  bool rm_changed = false;                                 // what the RM refused was woken since the last step
  uint64_t next_check = 0;                                 // ordinal within the step
  internal::timers timers;
  uint64_t next_epoch = 1;
  uint64_t next_decision = 1;
  std::vector<decision_view> outbox;
  std::deque<std::string> texts;  // that decisions of the outbox point to

  // The decision is complete but for sequence and time. Its views must live until the next drain.
  decision_view &emit(const decided_what &what, std::string_view rm, std::string_view partition_name,
                      uint32_t partition_number = 0) {
    decision_view &d = outbox.emplace_back();
    d.sequence = next_decision++;
    d.now_ms = now_ms;
    d.what = what;
    d.rm = rm;
    d.partition = partition_name;
    d.partition_number = partition_number;
    ++counters.decisions;
    return d;
  }

  // The record that this step goes by says that the policy failed at this decision.
  [[nodiscard]] bool told_to_fail(const policy_fault &fault) const {
    return std::any_of(told.begin(), told.end(), [&](const step_answer &a) {
      return a.what == step_answer::kind::policy_fault && a.at == decided && a.fault == fault;
    });
  }
  // Its names live until the next drain.
  void note_fault(const policy_fault &fault) {
    used_answers.push_back({step_answer::kind::policy_fault, decided, false, fault});
  }

  // What the record says that was answered next about placement rules; null: no record is played, and they are asked.
  // A record that says too little fails them.
  [[nodiscard]] const step_answer *next_told() {
    static constexpr step_answer nothing{step_answer::kind::placement_fault};
    if (told.empty()) return nullptr;
    while (told_used < told.size()) {
      const step_answer &next = told[told_used++];
      if (next.what >= step_answer::kind::rule_known) return &next;
    }
    return &nothing;
  }
  void note(step_answer::kind what, bool ok, std::string_view kept_text) {
    used_answers.push_back({what, 0, ok, {}, kept_text});
  }

  // A copy of the text that lives until the next drain.
  std::string_view keep(std::string text) { return texts.emplace_back(std::move(text)); }
};

}  // namespace tenon::internal
