// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of asks and allocations: intake, replacement and release.
#include "scene.hpp"

namespace tenon::testing {
namespace {

template <class T>
class RulesOfAsks : public scene<T> {
 protected:
  void SetUp() override {
    cluster_config c = make_cluster({make_queue("leaf"), make_queue("default")});
    c.priority_classes = {{"high", 100}};
    this->start(c);
    this->add("node-1", {{"memory", 100}, {"vcore", 10}});
    this->add_app("app-1");
  }
};
TYPED_TEST_SUITE(RulesOfAsks, schedulers);

TYPED_TEST(RulesOfAsks, WhatCannotBeIsRejectedAndChangesNothing) {
  EXPECT_THAT(
      this->ask("nobody", "a", {{"vcore", 1}}),
      ElementsAre("ask_rejected nobody/a: failed to find application nobody; submit it before it asks for anything, or "
                  "correct applicationID: it was not accepted, or it has ended"));
  EXPECT_THAT(
      this->ask("app-1", "a", {{"vcore", 0}}),
      ElementsAre("ask_rejected app-1/a: allocation contains no resources; set resourcePerAlloc, as vcore: 1000"));
  EXPECT_THAT(this->ask("app-1", "a", {{"memory", 1}, {"vcore", -1}}),
              ElementsAre("ask_rejected app-1/a: allocation contains negative resources: vcore is -1; send 0 or more"));
  EXPECT_THAT(this->ask("app-1", "", {{"vcore", 1}}),
              ElementsAre("ask_rejected app-1: allocation key is empty; set allocationKey"));
  EXPECT_THAT(this->ask("app-1", "a", {{"vcore", 1}}, {.count = 0}),
              ElementsAre("ask_rejected app-1/a: maxAllocations must be at least 1, and is 0; send 1 or more"));
  EXPECT_THAT(this->ask("app-1", "a", {{"vcore", 1}}, {.priority_class = "low"}),
              ElementsAre("ask_rejected app-1/a: priority class low is not configured; use one that there is: high"));
  EXPECT_EQ(this->app("app-1")->state, application_state::new_);
}

TYPED_TEST(RulesOfAsks, TypesBeyondTheLimitAreRejectedTogether) {
  amount_map many;
  for (int i = 0; i < 63; ++i) many["type-" + std::to_string(10 + i)] = 1;
  EXPECT_THAT(this->ask("app-1", "a", many),
              ElementsAre("ask_rejected app-1/a: resource type type-72 is one more than the 64 that this scheduler is "
                          "set up for; use types that nodes and asks have already"));
  many.erase("type-72");
  EXPECT_THAT(this->ask("app-1", "a", many), ElementsAre("application_state app-1 Accepted"));
}

TYPED_TEST(RulesOfAsks, PendingIsCountedUpTheTree) {
  this->ask("app-1", "a", {{"vcore", 2}}, {.count = 3});
  EXPECT_EQ(this->queue_at("root.leaf")->pending, (amount_map{{"vcore", 6}}));
  EXPECT_EQ(this->queue_at("root")->pending, (amount_map{{"vcore", 6}}));
  this->schedule(2);
  EXPECT_EQ(this->queue_at("root")->pending, (amount_map{{"vcore", 2}}));
  EXPECT_EQ(this->queue_at("root")->allocated, (amount_map{{"vcore", 4}}));
}

TYPED_TEST(RulesOfAsks, APriorityClassStandsForItsValue) {
  this->ask("app-1", "a", {{"vcore", 1}}, {.priority = 1, .priority_class = "high"});
  EXPECT_EQ(this->app("app-1")->asks.at(0).priority, 100);
}

TYPED_TEST(RulesOfAsks, AReplacementCountsWhatIsPlaced) {
  this->ask("app-1", "a", {{"vcore", 1}}, {.count = 3});
  this->schedule(2);
  this->ask("app-1", "a", {{"vcore", 2}}, {.count = 5});
  EXPECT_EQ(this->app("app-1")->asks.at(0).pending_count, 3);
  EXPECT_EQ(this->queue_at("root")->pending, (amount_map{{"vcore", 6}}));
  this->ask("app-1", "a", {{"vcore", 2}}, {.count = 1});
  EXPECT_EQ(this->app("app-1")->asks.size(), 0U);
}

TYPED_TEST(RulesOfAsks, AReleasedAllocationIsNotPendingAgain) {
  this->ask("app-1", "a", {{"vcore", 1}}, {.count = 2});
  this->schedule(2);
  this->give_back("app-1", "a", termination::stopped_by_rm, release_what::allocations, 1);
  EXPECT_EQ(this->app("app-1")->asks.size(), 0U);
  EXPECT_EQ(this->app("app-1")->allocations.at(0).sequence, 2U);
  this->ask("app-1", "a", {{"vcore", 1}}, {.count = 2});
  EXPECT_EQ(this->app("app-1")->asks.at(0).pending_count, 1);
}

TYPED_TEST(RulesOfAsks, OneThatIsSentAgainAsItIsKeepsItsTurn) {
  this->ask("app-1", "a", {{"vcore", 1}}, {.tags = {{"y", "2"}, {"x", "1"}}});
  this->ask("app-1", "b", {{"vcore", 1}});
  this->wait(1'000);
  EXPECT_THAT(this->ask("app-1", "a", {{"vcore", 1}}, {.tags = {{"x", "1"}, {"y", "2"}}}), IsEmpty());
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#1 on node-1", "app-1/b#2 on node-1"));
  this->ask("app-1", "c", {{"vcore", 1}});
  this->ask("app-1", "d", {{"vcore", 1}});
  this->wait(1'000);
  this->ask("app-1", "c", {{"vcore", 1}}, {.tags = {{"x", "1"}}});
  EXPECT_THAT(this->placed(), ElementsAre("app-1/d#3 on node-1", "app-1/c#4 on node-1")) << "c is another one now";
}

TYPED_TEST(RulesOfAsks, AKeyWithoutApplicationWithdrawsItEverywhereAndTouchesNoAllocation) {
  this->add_app("app-2");
  this->put("node-1", this->foreign("a", {{"vcore", 1}}));
  this->ask("app-1", "a", {{"vcore", 1}}, {.count = 2});
  this->schedule();
  this->ask("app-1", "b", {{"vcore", 20}});
  this->ask("app-2", "a", {{"vcore", 20}});
  this->ask("", "a", {{"vcore", 20}});
  EXPECT_THAT(this->withdraw("", "a"), ElementsAre("application_state app-2 Completing"));
  EXPECT_EQ(this->app("app-1")->allocations.size(), 1U);
  EXPECT_EQ(this->app("app-1")->pending, (amount_map{{"vcore", 20}}));
  EXPECT_EQ(this->queue_at("root")->pending, (amount_map{{"vcore", 20}}));
  EXPECT_EQ(this->node_of("node-1")->occupied, (amount_map{{"vcore", 1}}));
}

TYPED_TEST(RulesOfAsks, OneThatCouldNotBeBoundIsPendingAgain) {
  this->ask("app-1", "a", {{"vcore", 1}});
  this->schedule();
  EXPECT_THAT(this->give_back("app-1", "a", termination::scheduling_failed), IsEmpty());
  EXPECT_EQ(this->app("app-1")->asks.at(0).pending_count, 1);
  EXPECT_THAT(this->placed(), IsEmpty());
  this->wait(second);
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#2 on node-1"));
}

TYPED_TEST(RulesOfAsks, OneThatIsSentAgainStillWaitsForTheNodeWhereItFailed) {
  this->ask("app-1", "a", {{"vcore", 1}});
  this->schedule();
  this->give_back("app-1", "a", termination::scheduling_failed);
  this->ask("app-1", "a", {{"vcore", 2}});
  EXPECT_THAT(this->placed(), IsEmpty());
  this->wait(second);
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#2 on node-1"));
  this->give_back("app-1", "a", termination::scheduling_failed);
  this->wait(second);
  EXPECT_THAT(this->placed(), IsEmpty());
  this->withdraw("app-1", "a");
  this->ask("app-1", "a", {{"vcore", 2}});
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#3 on node-1"));
}

TYPED_TEST(RulesOfAsks, ConfirmationsAreNotEchoed) {
  this->ask("app-1", "a", {{"vcore", 1}}, {.count = 2});
  this->schedule(2);
  EXPECT_THAT(this->give_back("app-1", "a", termination::preempted_by_scheduler, release_what::allocations, 1),
              IsEmpty());
  EXPECT_THAT(this->give_back("app-1", "a", termination::timeout), ElementsAre("application_state app-1 Completing"));
}

TYPED_TEST(RulesOfAsks, AReleaseOfBothTakesAllocationsAndTheRestOfTheAsk) {
  this->ask("app-1", "a", {{"vcore", 1}}, {.count = 2});
  this->schedule();
  EXPECT_THAT(this->give_back("app-1", "", termination::stopped_by_rm, release_what::both),
              ElementsAre(HasSubstr("released app-1/a#1"), "application_state app-1 Completing"));
}

TYPED_TEST(RulesOfAsks, WhatIsNotThereIsReleasedInSilence) {
  this->ask("app-1", "a", {{"vcore", 1}});
  EXPECT_THAT(this->withdraw("nobody", "a"), IsEmpty());
  EXPECT_THAT(this->withdraw("app-1", "b"), IsEmpty());
  EXPECT_THAT(this->give_back("app-1", "a"), IsEmpty());
  EXPECT_EQ(this->app("app-1")->state, application_state::accepted);
}

TYPED_TEST(RulesOfAsks, AllocationsOfOneKeyThatAreReportedApartAreEachOne) {
  existing_allocation one = this->existing("app-1", "a", {{"vcore", 2}});
  one.apart = true;
  EXPECT_THAT(this->put("node-1", one), ::testing::Contains("allocated app-1/a#1 on node-1 existing"));
  EXPECT_THAT(this->put("node-1", one), ::testing::Contains("allocated app-1/a#2 on node-1 existing"));
  this->add("node-2", {{"vcore", 10}});
  EXPECT_THAT(this->put("node-2", one), ElementsAre("allocated app-1/a#3 on node-2 existing"));
  EXPECT_EQ(this->node_of("node-1")->allocated, (amount_map{{"vcore", 4}}));
  existing_allocation second = this->existing("app-1", "a", {{"vcore", 3}});
  second.sequence = 2;
  EXPECT_THAT(this->put("node-1", second), IsEmpty()) << "another size of the second";
  EXPECT_EQ(this->node_of("node-1")->allocated, (amount_map{{"vcore", 5}}));
  EXPECT_THAT(this->put("node-2", second), ElementsAre(HasSubstr("allocation_rejected app-1/a")));
  second.sequence = 9;
  EXPECT_THAT(this->put("node-1", second), ElementsAre("allocated app-1/a#4 on node-1 existing"));
  EXPECT_EQ(this->app("app-1")->allocations.size(), 4U);
}

TYPED_TEST(RulesOfAsks, AnAllocationExpiresAfterItsOwnTime) {
  this->ask("app-1", "a", {{"vcore", 1}}, {.execution_timeout_ms = 5 * second});
  this->wait(10 * second);
  this->schedule();
  EXPECT_THAT(this->wait(5 * second),
              ElementsAre("released app-1/a#1 on node-1 TIMEOUT: execution time of allocation a is over"));
  EXPECT_TRUE(this->app("app-1")->allocations.at(0).released);
  EXPECT_EQ(this->queue_at("root")->allocated, (amount_map{{"vcore", 1}}));
  EXPECT_THAT(this->give_back("app-1", "a", termination::timeout), ElementsAre("application_state app-1 Completing"));
}

TYPED_TEST(RulesOfAsks, OneWithoutApplicationGetsItsOwn) {
  EXPECT_THAT(this->ask("", "solo", {{"vcore", 1}}), IsEmpty());
  EXPECT_EQ(this->app("@independent/solo")->queue, "root.default");
  EXPECT_EQ(this->app("@independent/solo")->user, "nobody");
  EXPECT_THAT(this->schedule(), ElementsAre("allocated @independent/solo/solo#1 on node-1"));
  EXPECT_THAT(this->give_back("", "solo"), ElementsAre(HasSubstr("released @independent/solo/solo#1")));
  EXPECT_THAT(this->wait(30 * second), IsEmpty());
  EXPECT_EQ(this->app("@independent/solo")->state, application_state::completed);
}

TYPED_TEST(RulesOfAsks, AReportedAllocationPassesEveryLimit) {
  EXPECT_THAT(this->put("node-1", this->existing("app-1", "a", {{"vcore", 99}})),
              ElementsAre("application_state app-1 Accepted", "allocated app-1/a#1 on node-1 existing",
                          "application_state app-1 Starting"));
  EXPECT_EQ(this->node_of("node-1")->available, (amount_map{{"memory", 100}, {"vcore", -89}}));
  EXPECT_THAT(this->put("node-2", this->existing("app-1", "b", {{"vcore", 1}})),
              ElementsAre("allocation_rejected app-1/b on node-2: failed to find node node-2; did you mean node-1?"));
  EXPECT_THAT(
      this->put("node-1", this->existing("app-2", "b", {{"vcore", 1}})),
      ElementsAre("allocation_rejected app-2/b on node-1: failed to find application app-2; submit it before it asks "
                  "for anything, or correct applicationID: it was not accepted, or it has ended"));
}

TYPED_TEST(RulesOfAsks, AReportedAllocationTakesOneThatIsPending) {
  this->ask("app-1", "a", {{"vcore", 1}}, {.count = 2});
  this->put("node-1", this->existing("app-1", "a", {{"vcore", 1}}, {.count = 2}));
  EXPECT_EQ(this->app("app-1")->asks.at(0).pending_count, 1);
}

TYPED_TEST(RulesOfAsks, ReportingAgainResizes) {
  this->put("node-1", this->existing("app-1", "a", {{"vcore", 1}}));
  EXPECT_THAT(this->put("node-1", this->existing("app-1", "a", {{"vcore", 3}})), IsEmpty());
  EXPECT_EQ(this->queue_at("root")->allocated, (amount_map{{"vcore", 3}}));
  this->add("node-2", {{"vcore", 10}});
  EXPECT_THAT(this->put("node-2", this->existing("app-1", "a", {{"vcore", 3}})),
              ElementsAre(HasSubstr("allocation_rejected app-1/a on node-2: all allocations of a are placed")));
}

TYPED_TEST(RulesOfAsks, ForeignAllocationsTakeRoomOnANodeOnly) {
  EXPECT_THAT(this->put("node-1", this->foreign("pod", {{"vcore", 9}})), IsEmpty());
  EXPECT_EQ(this->node_of("node-1")->occupied, (amount_map{{"vcore", 9}}));
  this->ask("app-1", "a", {{"vcore", 2}});
  EXPECT_THAT(this->schedule(), IsEmpty());
  this->put("node-1", this->foreign("pod", {{"vcore", 8}}));
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#1 on node-1"));
  this->give_back("", "pod");
  EXPECT_EQ(this->node_of("node-1")->available, (amount_map{{"memory", 100}, {"vcore", 8}}));
}

TYPED_TEST(RulesOfAsks, AsksAreTriedByPriorityThenAgeThenArrival) {
  this->ask("app-1", "late", {{"vcore", 1}}, {.create_time_ms = start_ms - 1});
  this->ask("app-1", "early", {{"vcore", 1}}, {.create_time_ms = start_ms - 2});
  this->ask("app-1", "urgent", {{"vcore", 1}}, {.priority = 1});
  this->ask("app-1", "now-1", {{"vcore", 1}});
  this->ask("app-1", "now-2", {{"vcore", 1}});
  EXPECT_THAT(this->placed(),
              ElementsAre("app-1/urgent#1 on node-1", "app-1/early#2 on node-1", "app-1/late#3 on node-1",
                          "app-1/now-1#4 on node-1", "app-1/now-2#5 on node-1"));
}

TYPED_TEST(RulesOfAsks, ASumIsNeverTooLarge) {
  const int64_t most = int64_t{1} << 62;
  EXPECT_THAT(this->ask("app-1", "a", {{"vcore", most + 1}}),
              ElementsAre("ask_rejected app-1/a: resource vcore is 4611686018427387905, and the largest amount is "
                          "4611686018427387904; send less, or count in a larger unit"));
  EXPECT_THAT(
      this->ask("app-1", "a", {{"vcore", most / 2}}, {.count = 3}),
      ElementsAre(
          "ask_rejected app-1/a: resource vcore: 3 times 2305843009213693952 and the 0 that are "
          "counted already are more than the largest sum, 4611686018427387904; send less, or count in a larger unit"));
  this->ask("app-1", "a", {{"vcore", most / 2}}, {.count = 2});
  EXPECT_THAT(this->ask("app-1", "a", {{"vcore", most}}), IsEmpty()) << "in place of the one before";
  EXPECT_THAT(
      this->ask("app-1", "b", {{"vcore", 1}}),
      ElementsAre("ask_rejected app-1/b: resource vcore: 1 and the 4611686018427387904 that are counted "
                  "already are more than the largest sum, 4611686018427387904; send less, or count in a larger unit"));
  EXPECT_THAT(this->put("node-1", this->foreign("x", {{"vcore", most}})), IsEmpty());
  EXPECT_THAT(this->put("node-1", this->foreign("y", {{"vcore", 1}})),
              Contains(HasSubstr("are more than the largest sum")));
  EXPECT_THAT(this->put("node-1", this->foreign("x", {{"vcore", most}})), IsEmpty()) << "in place of the one before";
  EXPECT_THAT(this->add("node-2", {{"vcore", most}}), Contains(HasSubstr("4611686018427387904 and the 10 that are")));
}

TYPED_TEST(RulesOfAsks, WhatIsAskedForAgainIsNeverTooMuch) {
  const int64_t most = int64_t{1} << 62;
  const std::vector<std::string> keys{"a", "b", "c", "d"};
  for (const std::string &key : keys) {
    EXPECT_THAT(this->ask("app-1", key, {{"vcore", most - 10}}), Not(Contains(HasSubstr("rejected"))));
    EXPECT_THAT(this->put("node-1", this->existing("app-1", key, {{"vcore", 1}})),
                Not(Contains(HasSubstr("rejected"))));
  }
  EXPECT_EQ(this->queue_at("root")->allocated, (amount_map{{"vcore", 4}}));
  EXPECT_THAT(this->give_back("app-1", "a", termination::scheduling_failed), IsEmpty());
  EXPECT_THAT(
      this->give_back("app-1", "b", termination::scheduling_failed),
      ElementsAre("ask_released app-1/b UNKNOWN_TERMINATION_TYPE: not asked for again: with it what is asked for "
                  "and allocated is more than the largest sum, 4611686018427387904"));
  EXPECT_EQ(this->queue_at("root")->pending, (amount_map{{"vcore", most - 10}}));
  for (const std::string &key : keys) this->withdraw("app-1", key);
  EXPECT_EQ(this->queue_at("root")->pending, (amount_map{}));
}

TYPED_TEST(RulesOfAsks, ACreationTimeToComeIsNow) {
  const int64_t in_microseconds = this->app("app-1")->submitted_ms * 1'000;
  this->ask("app-1", "first", {{"vcore", 1}}, {.create_time_ms = in_microseconds});
  this->ask("app-1", "second", {{"vcore", 1}});
  EXPECT_THAT(this->placed(), ElementsAre("app-1/first#1 on node-1", "app-1/second#2 on node-1"));
}

TYPED_TEST(RulesOfAsks, WhatNothingNamesAnyMoreTakesNoTypeFromOthers) {
  for (int i = 0; i < 200; ++i) {
    const std::string type = "type-" + std::to_string(i);
    ASSERT_THAT(this->ask("app-1", "a", {{type, 1}}), Not(Contains(HasSubstr("rejected")))) << type;
    ASSERT_THAT(this->ask("app-1", "refused", {{type + "-of-none", 1}}, {.priority_class = "low"}),
                Contains(HasSubstr("priority class")));
  }
  amount_map many;
  for (int i = 0; i < 62; ++i) many["kept-" + std::to_string(i)] = 1;
  EXPECT_THAT(this->ask("app-1", "a", many), Contains(HasSubstr("is one more than the 64"))) << "type-199 is in use";
  this->withdraw("app-1", "a");
  EXPECT_THAT(this->ask("app-1", "a", many), Not(Contains(HasSubstr("rejected"))));
}

}  // namespace
}  // namespace tenon::testing
