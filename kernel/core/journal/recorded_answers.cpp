// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "journal/recorded_answers.hpp"

namespace tenon::internal {

void recorded_answers::begin_step() {
  next_check_ = decided_ = 0;
  has_checks_ = says(step_answer::kind::rm_check);
  if (std::exchange(rm_changed_, false)) note(step_answer::kind::rm_changed, false, {});
}

void recorded_answers::end_step() {
  has_checks_ = false;
  decided_ = 0;
}

bool recorded_answers::says_failed(const policy_fault &fault) const {
  return std::any_of(told_.begin(), told_.end(), [&](const step_answer &a) {
    if (a.what != step_answer::kind::policy_fault || a.at != decided_) return false;
    policy_fault told = a.fault;
    if (told.arrival == 0) {
      told.arrival = fault.arrival;
      told.alone = fault.alone;
    }
    return told == fault;
  });
}

const step_answer *recorded_answers::next_of_rules() {
  static constexpr step_answer nothing{step_answer::kind::placement_fault};
  // A record of an ask that came may say what predicates failed with, and nothing of rules.
  const auto is_of_predicate = [](const step_answer &a) {
    return a.what == step_answer::kind::policy_fault && a.fault.what >= policy_fault::kind::predicate;
  };
  if (std::all_of(told_.begin(), told_.end(), is_of_predicate)) return nullptr;
  while (told_used_ < told_.size()) {
    const step_answer &next = told_[told_used_++];
    if (next.what >= step_answer::kind::rule_known) return &next;
  }
  return &nothing;
}

bool recorded_answers::recorded_check(uint64_t at) const {
  bool ok = true;
  for (const step_answer &a : told_) {
    if (a.what == step_answer::kind::rm_check && a.at == at) ok = a.ok;
  }
  return ok;
}

}  // namespace tenon::internal
