// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of gangs: placeholders, what replaces them, and when they time out.
#include <algorithm>
#include <string>
#include <vector>

#include "scene.hpp"

namespace tenon::testing {
namespace {

const ask_options placeholder{.task_group = "tg", .placeholder = true};
const ask_options real{.task_group = "tg"};

template <class T>
class RulesOfGangs : public scene<T> {
 protected:
  void SetUp() override {
    this->start({make_queue("leaf")});
    this->add("node-1", {{"vcore", 10}});
  }

  // A gang of `count` placeholders of 2 vcores, all of them placed.
  void start_gang(int32_t count, bool hard = false) {
    this->add_app("gang",
                  {.execution_timeout_ms = 60 * second, .placeholder_ask = {{"vcore", 2 * count}}, .hard_gang = hard});
    ask_options o = placeholder;
    o.count = count;
    this->ask("gang", "ph", {{"vcore", 2}}, o);
    this->schedule(static_cast<uint32_t>(count));
  }
  lines confirm(const std::string &key, termination why, uint32_t limit = 0) {
    return this->give_back("gang", key, why, release_what::allocations, limit);
  }
  placeholder_snapshot group() {
    const auto gang = this->app("gang");
    for (const placeholder_snapshot &g : gang->placeholder_data) {
      if (g.task_group == "tg") return g;
    }
    return {};
  }
  void expect_group(int64_t count, int64_t replaced, int64_t timed_out) {
    const placeholder_snapshot g = group();
    EXPECT_EQ(g.count, count);
    EXPECT_EQ(g.replaced, replaced);
    EXPECT_EQ(g.timed_out, timed_out);
  }
};
TYPED_TEST_SUITE(RulesOfGangs, schedulers_with<naive::kernel_has.gangs>);

TYPED_TEST(RulesOfGangs, ARealAskTakesThePlaceOfAPlaceholderOnceThatIsConfirmed) {
  this->start_gang(2);
  EXPECT_EQ(this->app("gang")->state, application_state::starting);
  this->ask("gang", "r", {{"vcore", 2}}, real);
  EXPECT_THAT(this->schedule(),
              ElementsAre("released gang/ph#1 on node-1 PLACEHOLDER_REPLACED: replacing allocationKey: r"));
  EXPECT_EQ(this->queue_at("root.leaf")->allocated, (amount_map{{"vcore", 4}}));
  EXPECT_EQ(this->app("gang")->pending, amount_map());
  EXPECT_EQ(this->app("gang")->allocations.at(0).replaced_by, "r");
  this->expect_group(2, 0, 0);
  EXPECT_THAT(this->confirm("ph", termination::placeholder_replaced, 1), ElementsAre("allocated gang/r#3 on node-1"));
  EXPECT_EQ(this->app("gang")->state, application_state::starting);
  this->expect_group(2, 1, 0);
  this->ask("gang", "r2", {{"vcore", 2}}, real);
  this->schedule();
  EXPECT_THAT(this->confirm("ph", termination::placeholder_replaced),
              ElementsAre("allocated gang/r2#4 on node-1", "application_state gang Running"));
}

TYPED_TEST(RulesOfGangs, WhatItHadAndUsedIsRemembered) {
  this->set_attributes("node-1", {{"si/instance-type", "large"}});
  this->start_gang(2);
  EXPECT_EQ(this->app("gang")->most_allocated, (amount_map{{"vcore", 4}}));
  this->wait(10 * second + 900);
  this->ask("gang", "r", {{"vcore", 2}}, real);
  this->schedule();
  this->confirm("ph", termination::placeholder_replaced, 1);
  EXPECT_EQ(this->app("gang")->most_allocated, (amount_map{{"vcore", 4}}));
  this->put("node-1", this->existing("gang", "r", {{"vcore", 7}}));
  EXPECT_EQ(this->app("gang")->most_allocated, (amount_map{{"vcore", 7}}));
  this->wait(5 * second);
  this->confirm("r", termination::stopped_by_rm);
  this->ask("gang", "last", {{"vcore", 3}});
  EXPECT_THAT(this->placed(), ElementsAre("gang/last#4 on node-1"));
  EXPECT_EQ(this->app("gang")->most_allocated, (amount_map{{"vcore", 7}}));
  this->wait(2 * second);
  this->change("node-1", node_event::decommission);
  const auto past = this->app("gang")->past_use;
  ASSERT_EQ(past.size(), 2U);
  EXPECT_EQ(past[0], (past_use_snapshot{past_use_kind::used, "large", {{"vcore", 7 * 5 + 3 * 2}}}));
  EXPECT_EQ(past[1], (past_use_snapshot{past_use_kind::placeholder, "large", {{"vcore", 2 * 10 + 2 * 17}}}));
}

TYPED_TEST(RulesOfGangs, ASmallerRealAskGivesTheRestBack) {
  this->start_gang(1);
  this->ask("gang", "r", {{"vcore", 1}}, real);
  this->schedule();
  EXPECT_EQ(this->node_of("node-1")->allocated, (amount_map{{"vcore", 2}}));
  this->confirm("ph", termination::placeholder_replaced);
  EXPECT_EQ(this->node_of("node-1")->allocated, (amount_map{{"vcore", 1}}));
  EXPECT_EQ(this->queue_at("root")->allocated, (amount_map{{"vcore", 1}}));
}

TYPED_TEST(RulesOfGangs, ALargerRealAskEndsAllPlaceholdersOfItsGroupAndIsPlacedAfterThem) {
  this->start_gang(2);
  this->ask("gang", "r", {{"vcore", 3}}, real);
  EXPECT_THAT(this->schedule(9),
              ElementsAre("released gang/ph#1 on node-1 TIMEOUT: cancel placeholder: resource incompatible",
                          "released gang/ph#2 on node-1 TIMEOUT: cancel placeholder: resource incompatible"));
  this->confirm("ph", termination::timeout, 1);
  EXPECT_THAT(this->schedule(9), IsEmpty());
  this->confirm("ph", termination::timeout);
  this->expect_group(2, 0, 2);
  EXPECT_THAT(this->schedule(9), ElementsAre("allocated gang/r#3 on node-1", "application_state gang Running"));
}

TYPED_TEST(RulesOfGangs, ATypeThatThePlaceholderLacksMakesItTooSmall) {
  this->start_gang(1);
  this->add("node-2", {{"gpu", 4}, {"vcore", 10}});
  this->ask("gang", "r", {{"gpu", 1}, {"vcore", 1}}, real);
  EXPECT_THAT(this->schedule(),
              ElementsAre("released gang/ph#1 on node-1 TIMEOUT: cancel placeholder: resource incompatible"));
}

TYPED_TEST(RulesOfGangs, WhereTheNodeDoesNotSuitAnotherOneIsChargedAsWell) {
  this->start_gang(1);
  this->add("node-2", {{"vcore", 10}}, {.attributes = {{"si/zone", "b"}}});
  ask_options o = real;
  o.tags = {{"si/zone", "b"}};
  this->ask("gang", "r", {{"vcore", 2}}, o);
  this->schedule();
  EXPECT_EQ(this->app("gang")->allocations.at(0).replaced_on, "node-2");
  EXPECT_EQ(this->node_of("node-1")->allocated, (amount_map{{"vcore", 2}}));
  EXPECT_EQ(this->node_of("node-2")->allocated, (amount_map{{"vcore", 2}}));
  EXPECT_THAT(this->node_of("node-2")->allocations, ElementsAre("gang/r#0"));
  EXPECT_EQ(this->queue_at("root")->allocated, (amount_map{{"vcore", 2}}));
  EXPECT_THAT(this->confirm("ph", termination::placeholder_replaced), ElementsAre("allocated gang/r#2 on node-2"));
  EXPECT_EQ(this->node_of("node-1")->allocated, amount_map());
}

TYPED_TEST(RulesOfGangs, TheRemovedNodeWasThePlaceholders) {
  this->start_gang(1);
  this->add("node-2", {{"vcore", 10}}, {.attributes = {{"si/zone", "b"}}});
  ask_options o = real;
  o.tags = {{"si/zone", "b"}};
  this->ask("gang", "r", {{"vcore", 2}}, o);
  this->schedule();
  EXPECT_THAT(
      this->change("node-1", node_event::decommission),
      ElementsAre("released gang/ph#1 on node-1 STOPPED_BY_RM: Node node-1 Removed", "allocated gang/r#2 on node-2"));
  this->expect_group(1, 1, 0);
}

TYPED_TEST(RulesOfGangs, TheRemovedNodeWasTheReplacements) {
  this->start_gang(1);
  this->add("node-2", {{"vcore", 10}}, {.attributes = {{"si/zone", "b"}}});
  ask_options o = real;
  o.tags = {{"si/zone", "b"}};
  this->ask("gang", "r", {{"vcore", 2}}, o);
  this->schedule();
  EXPECT_THAT(this->change("node-2", node_event::decommission), IsEmpty());
  EXPECT_EQ(this->app("gang")->pending, (amount_map{{"vcore", 2}}));
  EXPECT_THAT(this->confirm("ph", termination::placeholder_replaced), IsEmpty());
  this->expect_group(1, 0, 1);
}

TYPED_TEST(RulesOfGangs, BothWereOnTheRemovedNode) {
  this->start_gang(1);
  this->ask("gang", "r", {{"vcore", 2}}, real);
  this->schedule();
  EXPECT_THAT(this->change("node-1", node_event::decommission),
              ElementsAre("released gang/ph#1 on node-1 STOPPED_BY_RM: Node node-1 Removed"));
  EXPECT_EQ(this->app("gang")->pending, (amount_map{{"vcore", 2}}));
  this->expect_group(1, 0, 1);
}

TYPED_TEST(RulesOfGangs, ASoftGangThatTimesOutGoesOnWithoutPlaceholders) {
  this->add_app("gang", {.execution_timeout_ms = 60 * second, .placeholder_ask = {{"vcore", 20}}});
  ask_options o = placeholder;
  o.count = 10;
  this->ask("gang", "ph", {{"vcore", 2}}, o);
  this->schedule(9);
  EXPECT_EQ(this->app("gang")->state, application_state::accepted);
  EXPECT_THAT(this->wait(59 * second), IsEmpty());
  const lines said = this->wait(2 * second);
  ASSERT_EQ(said.size(), 7U);
  EXPECT_EQ(said.at(0), "application_state gang Resuming");
  EXPECT_EQ(said.at(1),
            "released gang/ph#1 on node-1 TIMEOUT: releasing allocated placeholders on placeholder timeout");
  EXPECT_EQ(said.at(6), "ask_released gang/ph TIMEOUT: releasing pending placeholders on placeholder timeout");
  this->ask("gang", "r", {{"vcore", 1}});
  EXPECT_THAT(this->confirm("ph", termination::timeout, 4), IsEmpty());
  EXPECT_THAT(this->schedule(9), IsEmpty());
  EXPECT_THAT(this->confirm("ph", termination::timeout), ElementsAre("application_state gang Accepted"));
  this->expect_group(10, 0, 10);
  EXPECT_THAT(this->schedule(9), ElementsAre("allocated gang/r#6 on node-1", "application_state gang Starting"));
}

TYPED_TEST(RulesOfGangs, AHardGangThatTimesOutFails) {
  this->add_app("gang", {.tags = {{"tenon/gang-start", "piecewise"}},
                         .execution_timeout_ms = 60 * second,
                         .placeholder_ask = {{"vcore", 20}},
                         .hard_gang = true});
  this->ask("gang", "ph", {{"vcore", 2}}, placeholder);
  this->ask("gang", "big", {{"vcore", 20}}, placeholder);
  this->schedule(9);
  EXPECT_THAT(
      this->wait(61 * second),
      ElementsAre("application_state gang Failing",
                  "released gang/ph#1 on node-1 TIMEOUT: releasing allocated placeholders on placeholder timeout",
                  "ask_released gang/big TIMEOUT: releasing pending placeholders on placeholder timeout"));
  EXPECT_THAT(this->confirm("ph", termination::timeout), ElementsAre("application_state gang Failed"));
  EXPECT_EQ(this->app("gang")->message,
            "ResourceReservationTimeout: 1m0s in Accepted, placeholders allocated: 1, pending: 1");
}

TYPED_TEST(RulesOfGangs, AGangWithoutAnyRoomTimesOutToo) {
  this->add_app("gang", {.execution_timeout_ms = 60 * second, .placeholder_ask = {{"vcore", 20}}});
  this->ask("gang", "big", {{"vcore", 20}}, placeholder);
  EXPECT_THAT(this->wait(61 * second),
              ElementsAre("application_state gang Resuming",
                          "ask_released gang/big TIMEOUT: releasing pending placeholders on placeholder timeout",
                          "application_state gang Accepted", "application_state gang Completing"));
}

TYPED_TEST(RulesOfGangs, ARunningGangOnlyLosesWhatItDidNotUse) {
  this->start_gang(2);
  this->ask("gang", "r", {{"vcore", 2}}, real);
  this->schedule();
  this->confirm("ph", termination::placeholder_replaced, 1);
  EXPECT_THAT(
      this->wait(61 * second),
      ElementsAre("released gang/ph#2 on node-1 TIMEOUT: releasing allocated placeholders on placeholder timeout"));
  this->confirm("ph", termination::timeout);
  this->expect_group(2, 1, 1);
  EXPECT_EQ(this->app("gang")->state, application_state::starting);
}

TYPED_TEST(RulesOfGangs, ARestartDoesNotGivePlaceholdersMoreTime) {
  this->add_app("gang", {.execution_timeout_ms = 60 * second, .placeholder_ask = {{"vcore", 20}}});
  existing_allocation x = this->existing("gang", "ph", {{"vcore", 2}}, placeholder);
  x.bind_time_ms = start_ms - 50 * second;
  this->put("node-1", x);
  EXPECT_THAT(this->wait(11 * second), ::testing::Contains("application_state gang Resuming"));
  this->add_app("tagged", {.tags = {{"yunikorn.apache.org/creationTime", "970"}},
                           .execution_timeout_ms = 60 * second,
                           .placeholder_ask = {{"vcore", 20}}});
  this->ask("tagged", "ph", {{"vcore", 2}}, placeholder);
  EXPECT_THAT(this->wait(18 * second), IsEmpty());
  EXPECT_THAT(this->wait(2 * second), ::testing::Contains("application_state tagged Resuming"));
}

TYPED_TEST(RulesOfGangs, PlaceholdersLeftOverWhenAllThatIsRealWentAreReleased) {
  this->start_gang(2);
  this->ask("gang", "r", {{"vcore", 2}}, real);
  this->schedule();
  this->confirm("ph", termination::placeholder_replaced, 1);
  this->give_back("gang", "r");
  EXPECT_THAT(this->wait(29 * second), IsEmpty());
  EXPECT_THAT(this->wait(2 * second),
              ElementsAre("released gang/ph#2 on node-1 TIMEOUT: releasing placeholders on app complete"));
  EXPECT_THAT(this->confirm("ph", termination::timeout), ElementsAre("application_state gang Completing"));
}

TYPED_TEST(RulesOfGangs, ARealAskThatIsWithdrawnIsNotPlacedAnyMore) {
  this->start_gang(1);
  this->ask("gang", "r", {{"vcore", 2}}, real);
  this->schedule();
  this->withdraw("gang", "r");
  EXPECT_THAT(this->confirm("ph", termination::placeholder_replaced), ElementsAre("application_state gang Completing"));
  this->expect_group(1, 0, 1);
}

TYPED_TEST(RulesOfGangs, WhateverEndsThePlaceholderTheRealOneComes) {
  this->start_gang(1);
  this->ask("gang", "r", {{"vcore", 2}}, real);
  this->schedule();
  EXPECT_THAT(this->give_back("gang", "ph"),
              ElementsAre("released gang/ph#1 on node-1 STOPPED_BY_RM: allocation remove as per RM request",
                          "allocated gang/r#2 on node-1"));
}

TYPED_TEST(RulesOfGangs, AReleaseOfAllAllocationsLeavesTheRealAskThatWasOnItsWay) {
  this->start_gang(1);
  this->ask("gang", "r", {{"vcore", 2}}, real);
  this->schedule();
  EXPECT_THAT(this->give_back("gang", ""),
              ElementsAre("released gang/ph#1 on node-1 STOPPED_BY_RM: allocation remove as per RM request"));
  EXPECT_EQ(this->app("gang")->pending, (amount_map{{"vcore", 2}}));
  EXPECT_EQ(this->placed(), (lines{"gang/r#2 on node-1"}));
}

TYPED_TEST(RulesOfGangs, RealAsksOfOtherGroupsDoNotWait) {
  this->start_gang(1);
  this->ask("gang", "free", {{"vcore", 2}}, {.task_group = "other"});
  this->ask("gang", "none", {{"vcore", 2}});
  EXPECT_EQ(this->placed(), (lines{"gang/free#2 on node-1", "gang/none#3 on node-1"}));
}

TYPED_TEST(RulesOfGangs, ItRunsWithItsFirstRealAllocationWhenNoMorePlaceholdersCome) {
  this->add_app("gang", {.placeholder_ask = {{"vcore", 6}}});
  this->ask("gang", "ph", {{"vcore", 2}}, placeholder);
  this->ask("gang", "r", {{"vcore", 2}}, real);
  this->schedule(9);
  EXPECT_EQ(this->app("gang")->state, application_state::accepted);
  EXPECT_THAT(this->confirm("ph", termination::placeholder_replaced),
              ElementsAre("allocated gang/r#2 on node-1", "application_state gang Starting"));
  EXPECT_EQ(this->app("gang")->message, "real allocations run and no placeholder is pending");
}

TYPED_TEST(RulesOfGangs, ItWaitsWhileAPlaceholderIsPendingAndNotLonger) {
  for (const bool withdrawn : {true, false}) {
    this->SetUp();
    this->add_app("gang", {.placeholder_ask = {{"vcore", 20}}});
    this->ask("gang", "ph", {{"vcore", 2}}, placeholder);
    this->ask("gang", "large", {{"vcore", 11}}, placeholder);
    this->schedule(9);
    this->ask("gang", "r", {{"vcore", 2}}, real);
    this->schedule(9);
    EXPECT_THAT(this->confirm("ph", termination::placeholder_replaced), ElementsAre("allocated gang/r#2 on node-1"));
    if (withdrawn) {
      EXPECT_THAT(this->withdraw("gang", "large"), ElementsAre("application_state gang Starting"));
    } else {
      this->add("node-2", {{"vcore", 20}});
      EXPECT_THAT(this->schedule(9),
                  ElementsAre("allocated gang/large#3 on node-2", "application_state gang Starting"));
    }
  }
}

TYPED_TEST(RulesOfGangs, OneThatGaveUpWithRealWorkRunsAtOnce) {
  this->add_app("gang", {.execution_timeout_ms = 60 * second, .placeholder_ask = {{"vcore", 20}}});
  this->ask("gang", "ph", {{"vcore", 2}}, placeholder);
  this->ask("gang", "large", {{"vcore", 11}}, placeholder);
  this->schedule(9);
  this->ask("gang", "r", {{"vcore", 2}}, real);
  this->schedule(9);
  this->confirm("ph", termination::placeholder_replaced);
  this->reasons();
  this->wait(60 * second);
  EXPECT_THAT(
      this->reasons(),
      ElementsAre("Resuming: ResourceReservationTimeout: 1m0s in Accepted, placeholders allocated: 0, pending: 1",
                  "Accepted: no placeholder is left", "Starting: real allocations run and no placeholder is pending"));
}

TYPED_TEST(RulesOfGangs, ANodeThatIsKeptForARealAskTakesItAlthoughNoOtherHoldsIt) {
  this->add("node-2", {{"vcore", 4}}, {.attributes = {{"si/zone", "a"}}});
  this->add_app("other");
  this->put("node-2", this->existing("other", "o", {{"vcore", 4}}));
  this->add_app("gang");
  ask_options there = real;
  there.tags = {{"si/zone", "a"}};
  this->ask("gang", "r", {{"vcore", 2}}, there);
  this->wait(2 * second);
  EXPECT_THAT(this->schedule(9), ElementsAre("reserved gang/r on node-2"));
  this->ask("gang", "ph", {{"vcore", 2}}, placeholder);
  EXPECT_THAT(this->schedule(9), ElementsAre("allocated gang/ph#2 on node-1"));
  this->give_back("other", "o");
  EXPECT_THAT(this->schedule(9),
              ElementsAre("unreserved gang/r on node-2: placed",
                          "released gang/ph#2 on node-1 PLACEHOLDER_REPLACED: replacing allocationKey: r"));
}

TYPED_TEST(RulesOfGangs, OfTwoGangsThatShareOneIsWhole) {
  ask_options six = placeholder;
  six.count = 6;
  for (const char *id : {"one", "other"}) {
    this->add_app(id, {.placeholder_ask = {{"vcore", 6}}, .hard_gang = true});
    this->ask(id, "ph", {{"vcore", 1}}, six);
  }
  this->schedule(20);
  EXPECT_EQ(this->app("one")->allocations.size(), 6U);
  EXPECT_EQ(this->app("other")->allocations.size(), 0U);
  EXPECT_THAT(this->wait(2000 * second), Contains("application_state one Failing"));
  EXPECT_EQ(this->app("other")->state, application_state::accepted) << "its time runs from when it begins";
  this->give_back("one", "ph", termination::timeout);
  this->schedule(20);
  EXPECT_EQ(this->app("other")->allocations.size(), 6U);
}

TYPED_TEST(RulesOfGangs, AWholeGangIsOneDecision) {
  this->start_gang(4, true);
  EXPECT_EQ(this->app("gang")->state, application_state::starting);
  ask_options two = placeholder;
  two.count = 2;
  this->add_app("next", {.placeholder_ask = {{"vcore", 2}}, .hard_gang = true});
  this->ask("next", "ph", {{"vcore", 1}}, two);
  EXPECT_THAT(this->schedule(), ElementsAre("allocated next/ph#5 on node-1", "allocated next/ph#6 on node-1",
                                            "application_state next Starting"));
}

// A node with a GPU is the fuller one, and an earlier placeholder would take its last vcores.
TYPED_TEST(RulesOfGangs, AWholeGangBeginsOnceAnotherNodeIsTheFullerOne) {
  this->start({make_queue("leaf")});
  this->add("gpu", {{"vcore", 2}, {"gpu", 1}});
  this->add("plain", {{"vcore", 4}});
  this->add_app("other");
  this->ask("other", "on-gpu", {{"vcore", 1}}, {.required_node = "gpu"});
  this->ask("other", "on-plain", {{"vcore", 1}}, {.required_node = "plain"});
  this->schedule(9);
  this->add_app(
      "gang",
      {.tags = {{"tenon/node-sort", "binpacking"}}, .placeholder_ask = {{"vcore", 2}, {"gpu", 1}}, .hard_gang = true});
  this->ask("gang", "driver", {{"vcore", 1}}, {.task_group = "driver", .placeholder = true});
  this->ask("gang", "worker", {{"vcore", 1}, {"gpu", 1}}, {.task_group = "worker", .placeholder = true});
  EXPECT_THAT(this->schedule(9), ElementsAre());
  this->ask("other", "two", {{"vcore", 2}});
  EXPECT_THAT(this->schedule(9), ElementsAre("allocated other/two#3 on plain", "allocated gang/driver#4 on plain",
                                             "allocated gang/worker#5 on gpu", "application_state gang Starting"));
}

// Of gangs that fit one after the other, each runs: whatever their sizes, and in which order they come.
TYPED_TEST(RulesOfGangs, GangsThatFitOneAfterTheOtherAllRun) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    this->start({make_queue("leaf"), make_queue("beside")});
    this->add("node-1", {{"vcore", 4}});
    this->add("node-2", {{"vcore", 3}});
    uint64_t state = seed * 0x9e3779b97f4a7c15;
    const auto draw = [&state](uint64_t most) {
      state ^= state << 13U;
      state ^= state >> 7U;
      state ^= state << 17U;
      return state % most + 1;
    };
    std::vector<std::string> waiting;
    for (int i = 0; i < 6; ++i) {
      const std::string id = "gang-" + std::to_string(i);
      const auto size = static_cast<int64_t>(draw(7));
      this->add_app(id, {.queue = draw(2) == 1 ? "root.leaf" : "root.beside",
                         .placeholder_ask = {{"vcore", size}},
                         .hard_gang = true});
      ask_options o = placeholder;
      o.count = static_cast<int32_t>(size);
      o.priority = static_cast<int32_t>(draw(3));
      this->ask(id, "ph", {{"vcore", 1}}, o);
      waiting.push_back(id);
    }
    while (!waiting.empty()) {
      this->schedule(100);
      const auto runs = std::find_if(waiting.begin(), waiting.end(),
                                     [&](const std::string &id) { return !this->app(id)->allocations.empty(); });
      ASSERT_NE(runs, waiting.end()) << "seed " << seed << ": none of " << waiting.size() << " gangs runs";
      ASSERT_EQ(this->app(*runs)->state, application_state::starting)
          << "seed " << seed << ": " << *runs << " is in parts";
      this->give_back(*runs, "", termination::stopped_by_rm);
      waiting.erase(runs);
    }
  }
}

TYPED_TEST(RulesOfGangs, AHardGangWithoutWorkFailsAlsoWhenAllIsPlaced) {
  this->start_gang(2, true);
  EXPECT_EQ(this->app("gang")->state, application_state::starting);
  EXPECT_THAT(this->wait(61 * second), Contains("application_state gang Failing"));
}

TYPED_TEST(RulesOfGangs, AHardGangThatWorksOnlyLosesWhatItDidNotUse) {
  this->start_gang(2, true);
  this->ask("gang", "r", {{"vcore", 2}}, real);
  this->schedule();
  this->confirm("ph", termination::placeholder_replaced, 1);
  EXPECT_THAT(
      this->wait(61 * second),
      ElementsAre("released gang/ph#2 on node-1 TIMEOUT: releasing allocated placeholders on placeholder timeout"));
  EXPECT_EQ(this->app("gang")->state, application_state::starting);
}

TYPED_TEST(RulesOfGangs, LatePlaceholdersHaveATimeToo) {
  this->start_gang(1);
  this->ask("gang", "r", {{"vcore", 2}}, real);
  this->schedule();
  this->confirm("ph", termination::placeholder_replaced, 1);
  EXPECT_THAT(this->wait(100 * second), IsEmpty());
  ask_options late = placeholder;
  late.task_group = "late";
  this->ask("gang", "late", {{"vcore", 1}}, late);
  this->schedule();
  EXPECT_THAT(
      this->wait(61 * second),
      ElementsAre("released gang/late#3 on node-1 TIMEOUT: releasing allocated placeholders on placeholder timeout"));
}

TYPED_TEST(RulesOfGangs, ASoftGangThatGaveUpAndHasNothingCompletes) {
  this->add_app("gang", {.execution_timeout_ms = 60 * second, .placeholder_ask = {{"vcore", 20}}});
  ask_options o = placeholder;
  o.count = 10;
  this->ask("gang", "ph", {{"vcore", 2}}, o);
  this->schedule(10);
  this->wait(61 * second);
  EXPECT_EQ(this->app("gang")->state, application_state::resuming);
  EXPECT_THAT(this->give_back("gang", "ph", termination::timeout),
              ElementsAre("application_state gang Accepted", "application_state gang Completing"));
}

}  // namespace
}  // namespace tenon::testing
