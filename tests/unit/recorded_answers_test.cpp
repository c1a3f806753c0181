// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a record says of answers from outside, and what is noted of those that are given now.
#include "journal/recorded_answers.hpp"

#include <gtest/gtest.h>

namespace tenon::internal {
namespace {

using kind = step_answer::kind;

step_answer check_said(uint64_t at, bool ok) { return {kind::rm_check, at, ok}; }

TEST(RecordedAnswers, AsksWhereNoRecordIsPlayed) {
  recorded_answers answers;
  answers.begin({});
  answers.begin_step();
  int asked = 0;
  EXPECT_FALSE(answers.check([&] { return ++asked, false; }));
  EXPECT_EQ(answers.next_of_rules(), nullptr);
  answers.end_step();
  answers.end();
  EXPECT_EQ(asked, 1);
  ASSERT_EQ(answers.of_last_command().size(), 1U);
  EXPECT_FALSE(answers.of_last_command()[0].ok);
}

TEST(RecordedAnswers, ChecksAreFoundByTheirOrdinalAndNobodyIsAsked) {
  const step_answer said[] = {check_said(1, false)};
  recorded_answers answers;
  answers.begin(said);
  answers.begin_step();
  const auto nobody = [] { return ADD_FAILURE(), false; };
  EXPECT_TRUE(answers.check(nobody));
  EXPECT_FALSE(answers.check(nobody));
  EXPECT_TRUE(answers.check(nobody));
}

TEST(RecordedAnswers, ChecksHoldWithinTheStepAlone) {
  const step_answer said[] = {check_said(0, true)};
  recorded_answers answers;
  answers.begin(said);
  EXPECT_FALSE(answers.has_checks());
  answers.begin_step();
  EXPECT_TRUE(answers.has_checks());
  answers.end_step();
  EXPECT_FALSE(answers.has_checks());
}

TEST(RecordedAnswers, AFaultIsOfOneDecision) {
  const policy_fault fault{policy_fault::kind::node_order, "[rm]default", "fair", {}};
  const step_answer said[] = {{kind::policy_fault, 1, false, fault}};
  recorded_answers answers;
  answers.begin(said);
  answers.begin_step();
  EXPECT_FALSE(answers.says_failed(fault));
  answers.count_decision();
  EXPECT_TRUE(answers.says_failed(fault));
  answers.note_fault(fault);
  answers.end();
  EXPECT_EQ(answers.of_last_command()[0].at, 1U);
}

TEST(RecordedAnswers, ARecordThatSaysTooLittleFailsTheRule) {
  const step_answer said[] = {check_said(0, true), {kind::placement, 0, true, {}, "root.a"}};
  recorded_answers answers;
  answers.begin(said);
  EXPECT_EQ(answers.next_of_rules()->text, "root.a");
  EXPECT_EQ(answers.next_of_rules()->what, kind::placement_fault);
}

TEST(RecordedAnswers, TheNextStepSaysOnceThatTheRmChanged) {
  recorded_answers answers;
  answers.note_rm_changed();
  for (const size_t noted : {1U, 0U}) {
    answers.forget_last();
    answers.begin({});
    answers.begin_step();
    answers.end_step();
    answers.end();
    EXPECT_EQ(answers.of_last_command().size(), noted);
  }
}

}  // namespace
}  // namespace tenon::internal
