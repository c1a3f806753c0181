// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Recorded answers: what the kernel was answered from outside while a command ran (modules that failed, placement
// rules, checks of the resource manager), for the record of that command. Where a recorded command is played, what its
// record says holds, and nobody is asked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/kernel/commands.hpp"

namespace tenon::internal {

class recorded_answers {
 public:
  // -- A command, and a step. --
  // `told`: what the record says; empty where none is played.
  void begin(std::span<const step_answer> told) {
    told_ = told;
    told_used_ = 0;
  }
  void end() {
    told_ = {};
    last_.swap(used_);
  }
  void forget_last() {
    last_.clear();
    used_.clear();
  }
  [[nodiscard]] std::span<const step_answer> of_last_command() const { return last_; }

  void begin_step();
  void count_decision() { ++decided_; }
  void end_step();
  // What the resource manager refused was woken: the record of the next step says so.
  void note_rm_changed() { rm_changed_ = true; }

  // -- What the record says. --
  [[nodiscard]] bool are_told() const { return !told_.empty(); }
  [[nodiscard]] bool says(step_answer::kind what) const {
    return std::any_of(told_.begin(), told_.end(), [&](const step_answer &a) { return a.what == what; });
  }
  [[nodiscard]] bool has_checks() const { return has_checks_; }  // of the resource manager, within this step
  // That the policy failed at this decision.
  [[gnu::cold]] [[nodiscard]] bool says_failed(const policy_fault &fault) const;
  // Calls f(fault) for each of this decision.
  template <class F>
  void for_each_fault(F &&f) const {
    for (const step_answer &a : told_) {
      if (a.what == step_answer::kind::policy_fault && a.at == decided_) f(a.fault);
    }
  }
  // What was answered next about placement rules; null: no record is played, and they are asked. A record that says too
  // little fails them.
  [[nodiscard]] const step_answer *next_of_rules();

  // -- What is answered now. --
  // Its names live until the next drain.
  void note_fault(const policy_fault &fault) {
    used_.push_back({step_answer::kind::policy_fault, decided_, false, fault});
  }
  void note(step_answer::kind what, bool ok, std::string_view kept_text) {
    used_.push_back({what, 0, ok, {}, kept_text});
  }
  // Of the resource manager: as recorded, or by asking it.
  template <class Ask>
  bool check(Ask &&asked) {
    const uint64_t at = next_check_++;
    const bool ok = has_checks_ ? recorded_check(at) : asked();
    used_.push_back({step_answer::kind::rm_check, at, ok, {}});
    return ok;
  }

 private:
  [[nodiscard]] bool recorded_check(uint64_t at) const;

  std::span<const step_answer> told_;
  size_t told_used_ = 0;  // of them, by next_of_rules()
  bool has_checks_ = false;
  uint64_t decided_ = 0;     // decisions of the step that runs
  uint64_t next_check_ = 0;  // ordinal within the step
  bool rm_changed_ = false;
  std::vector<step_answer> used_, last_;  // by the command that runs, and by the one before it
};

}  // namespace tenon::internal
