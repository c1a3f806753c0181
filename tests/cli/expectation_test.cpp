// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The rules of expectations, and what the RM knows, without a scheduler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/rm_model.hpp"
#include "scenario/value.hpp"

namespace tenon::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

bool holds(value_rule rule, const value &want, const value &have) { return compare(rule, want, have).empty(); }

TEST(Amounts, CompareOnlyTheListedTypesAndTakeAbsentOnesAsZero) {
  const value have = amount_map{{"vcore", 5}, {"memory", 7}};
  EXPECT_TRUE(holds(value_rule::amounts, amount_map{{"vcore", 5}}, have));
  EXPECT_TRUE(holds(value_rule::amounts, amount_map{{"gpu", 0}}, have));
  EXPECT_FALSE(holds(value_rule::amounts, amount_map{{"vcore", 4}}, have));
  EXPECT_FALSE(holds(value_rule::amounts, amount_map{{"gpu", 1}}, have));
}

TEST(Amounts, EmptyMapWantsEveryTypeZeroOrAbsent) {
  EXPECT_TRUE(holds(value_rule::amounts, amount_map{}, amount_map{{"vcore", 0}}));
  EXPECT_TRUE(holds(value_rule::amounts, amount_map{}, value()));
  EXPECT_FALSE(holds(value_rule::amounts, amount_map{}, amount_map{{"vcore", 1}}));
}

TEST(Amounts, NullWantsThemNotSet) {
  EXPECT_TRUE(holds(value_rule::amounts, value(), value()));
  EXPECT_TRUE(holds(value_rule::amounts, value(), amount_map{}));
  EXPECT_FALSE(holds(value_rule::amounts, value(), amount_map{{"vcore", 0}}));
}

TEST(Amounts, MismatchNamesTheTypeAndBothAmounts) {
  const auto wrong = compare(value_rule::amounts, amount_map{{"vcore", 5}, {"gpu", 1}}, amount_map{{"vcore", 5}});
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_EQ(wrong[0].below, ".gpu");
  EXPECT_EQ(wrong[0].want, "1");
  EXPECT_EQ(wrong[0].have, "0");
}

TEST(Keys, AskWithACountIsKnownByItsBaseKey) {
  EXPECT_EQ(base_key("ask~003"), "ask");
  EXPECT_EQ(base_key("ask~1000"), "ask");
  EXPECT_EQ(base_key("ask~3"), "ask~3");
  EXPECT_EQ(base_key("ask~abc"), "ask~abc");
  EXPECT_EQ(base_key("~000"), "~000");
}

TEST(Keys, SetIsComparedByBaseKeysUnlessOneIsWrittenInFull) {
  const value have = text_list{"a~000", "a~001", "b"};
  EXPECT_TRUE(holds(value_rule::key_set, text_list{"b", "a"}, have));
  EXPECT_TRUE(holds(value_rule::key_set, text_list{"a~000", "a~001", "b"}, have));
  EXPECT_FALSE(holds(value_rule::key_set, text_list{"a~000", "b"}, have));
  EXPECT_FALSE(holds(value_rule::key_set, text_list{"a"}, have));
  EXPECT_TRUE(holds(value_rule::key_set, int64_t{3}, have));
  EXPECT_FALSE(holds(value_rule::key_set, int64_t{2}, have));
}

TEST(Places, BaseKeyHoldsWhereAllItsAllocationsAreOnTheNode) {
  EXPECT_TRUE(holds(value_rule::places, text_map{{"a", "n1"}}, text_map{{"a~000", "n1"}, {"a~001", "n1"}}));
  EXPECT_FALSE(holds(value_rule::places, text_map{{"a", "n1"}}, text_map{{"a~000", "n1"}, {"a~001", "n2"}}));
  EXPECT_FALSE(holds(value_rule::places, text_map{{"a", "n1"}}, text_map{{"a", "n1\nn2"}}));
  EXPECT_FALSE(holds(value_rule::places, text_map{{"a", "n1"}}, text_map{}));
}

TEST(Texts, PartsReportedIncludesAndOrder) {
  const value reasons = text_map{{"app", "first reason\nsecond reason"}};
  EXPECT_TRUE(holds(value_rule::parts, text_map{{"app", "second"}}, reasons));
  EXPECT_TRUE(holds(value_rule::parts, text_map{{"app", ""}}, reasons));
  EXPECT_FALSE(holds(value_rule::parts, text_map{{"other", ""}}, reasons));
  EXPECT_TRUE(holds(value_rule::reported, text_map{{"a", "Running"}}, text_map{{"a", "Starting\nRunning"}}));
  EXPECT_FALSE(holds(value_rule::reported, text_map{{"a", "Run"}}, text_map{{"a", "Starting\nRunning"}}));
  EXPECT_TRUE(holds(value_rule::includes, text_list{"b"}, text_list{"a", "b"}));
  EXPECT_FALSE(holds(value_rule::exactly, text_list{"b"}, text_list{"a", "b"}));
  EXPECT_TRUE(holds(value_rule::exactly, text_list{"b", "a"}, text_list{"a", "b"}));
  EXPECT_FALSE(holds(value_rule::in_order, text_list{"b", "a"}, text_list{"a", "b"}));
}

// --- the RM ---

decision_view told(const decided_what &what, std::string_view key, uint64_t sequence) {
  decision_view d;
  d.what = what;
  d.partition = "[rm]default";
  d.application = "app";
  d.key = key;
  d.node = "n1";
  d.allocation_sequence = sequence;
  d.now_ms = 77;
  return d;
}

ask_item ask_of(const std::string &key) {
  ask_item ask;
  ask.partition = "default";
  ask.application = "app";
  ask.key = key;
  return ask;
}

TEST(RmModel, AllocationRunsFromTheNewsOfItToTheNewsOfItsRelease) {
  rm_model rm;
  rm.hears(told(decided::allocated{}, "k", 1));
  rm.hears(told(decided::allocated{}, "k", 2));
  EXPECT_EQ(rm.running().size(), 2U);
  rm.hears(told(decided::released{termination::stopped_by_rm, {}, {}}, "k", 1));
  ASSERT_EQ(rm.running().size(), 1U);
  EXPECT_EQ(rm.running()[0].sequence, 2U);
  EXPECT_THAT(rm.released(termination::stopped_by_rm), ElementsAre("k"));
}

TEST(RmModel, OpenReleasesAreConfirmedOldestFirstAndByType) {
  rm_model rm;
  for (uint64_t i = 1; i <= 3; ++i) rm.hears(told(decided::allocated{}, "k" + std::to_string(i), i));
  rm.hears(told(decided::released{termination::timeout, {}, {}}, "k1", 1));
  rm.hears(told(decided::released{termination::preempted_by_scheduler, {}, {}}, "k2", 2));
  rm.hears(told(decided::released{termination::timeout, {}, {}}, "k3", 3));
  const auto first = rm.confirms({termination::timeout}, 1);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].key, "k1");
  const auto rest = rm.confirms({}, std::nullopt);
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest[0].key, "k2");
  EXPECT_THAT(rm.confirms({}, std::nullopt), IsEmpty());
}

TEST(RmModel, ReleaseOfTheRmsOwnIsNotToBeConfirmed) {
  rm_model rm;
  rm.hears(told(decided::allocated{}, "k", 1));
  rm.hears(told(decided::released{termination::stopped_by_rm, {}, {}}, "k", 1));
  EXPECT_THAT(rm.confirms({}, std::nullopt), IsEmpty());
}

TEST(RmModel, OnlyPlaceholderAsksCountAsReleased) {
  rm_model rm;
  decision_view ask = told(decided::ask_released{termination::timeout, {}}, "real", 0);
  rm.hears(ask);
  EXPECT_THAT(rm.released(termination::timeout), IsEmpty());
  ask.key = "placeholder";
  ask.placeholder = true;
  rm.hears(ask);
  EXPECT_THAT(rm.released(termination::timeout), ElementsAre("placeholder"));
  EXPECT_EQ(rm.confirms({}, std::nullopt).at(0).sequence, 0U);
}

TEST(RmModel, KnowsAfterARestartWhatRanBefore) {
  rm_model rm;
  rm.sends_ask(ask_of("k"));
  rm.hears(told(decided::allocated{}, "k", 9));
  rm.restarts();
  const auto known = rm.running_on("default", "n1");
  ASSERT_EQ(known.size(), 1U);
  EXPECT_EQ(known[0].ask.key, "k");
  EXPECT_EQ(known[0].bind_time_ms, 77);
  // The scheduler names it again under another sequence: still one allocation.
  rm.reports_existing("n1", known[0].ask);
  rm.hears(told(decided::node_accepted{}, "", 0));
  rm.hears(told(decided::allocated{}, "k", 1));
  ASSERT_EQ(rm.running().size(), 1U);
  EXPECT_EQ(rm.running()[0].sequence, 1U);
}

TEST(RmModel, AllocationsOfARefusedNodeDoNotRun) {
  rm_model rm;
  rm.reports_existing("n1", ask_of("k"));
  rm.hears(told(decided::node_rejected{}, "", 0));
  rm.hears(told(decided::node_accepted{}, "", 0));
  EXPECT_THAT(rm.running(), IsEmpty());
  EXPECT_THAT(rm.rejected_nodes(), ElementsAre("n1"));
}

TEST(RmModel, KeysThatWereSentUnderABaseKey) {
  rm_model rm;
  rm.sends_ask(ask_of("k~000"));
  rm.sends_ask(ask_of("k~001"));
  rm.sends_ask(ask_of("kk"));
  EXPECT_THAT(rm.sent_keys("default", "app", "k"), ElementsAre("k~000", "k~001"));
  EXPECT_THAT(rm.sent_keys("default", "app", "k~001"), ElementsAre("k~001"));
  EXPECT_THAT(rm.sent_keys("default", "app", "other"), ElementsAre("other"));
}

}  // namespace
}  // namespace tenon::cli
