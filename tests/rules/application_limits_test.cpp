// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of maxapplications of users and groups: who counts, and until when.
#include "scene.hpp"

namespace tenon::testing {
namespace {

template <class T>
class RulesOfApplicationLimits : public scene<T> {
 protected:
  // One application at a time of user "one"; "first" runs, with one more ask that fits nowhere, "second" waits.
  void begin(std::vector<limit_config> limits = {make_limit({"*"}, {}, {}, 1)}) {
    queue_config leaf = make_queue("leaf");
    leaf.limits = std::move(limits);
    this->start({leaf, make_queue("other")});
    this->add("node-1", {{"vcore", 9}});
    for (const std::string id : {"first", "second"}) {
      this->add_app(id, {.user = "one", .groups = {"dev", "ops"}});
      this->ask(id, "a", {{"vcore", 1}});
    }
    this->ask("first", "large", {{"vcore", 10}});
    EXPECT_THAT(this->placed(), ElementsAre("first/a#1 on node-1"));
  }
  std::vector<std::string> running(const std::string &queue = "root.leaf") {
    for (const usage_snapshot &u : this->look().users) {
      if (u.name == "one" && u.queue == queue) return u.running;
    }
    return {};
  }
};
TYPED_TEST_SUITE(RulesOfApplicationLimits, schedulers);

TYPED_TEST(RulesOfApplicationLimits, EachUserHasSoManyAndOneThatEndedMakesRoom) {
  queue_config leaf = make_queue("leaf");
  leaf.limits = {make_limit({"*"}, {}, {}, 1)};
  this->start({leaf});
  this->add("node-1", {{"vcore", 9}});
  this->add_app("app-1", {.user = "one"});
  this->add_app("app-2", {.user = "one"});
  this->add_app("app-3", {.user = "two"});
  for (const std::string id : {"app-1", "app-2", "app-3"}) this->ask(id, "a", {{"vcore", 1}});
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#1 on node-1", "app-3/a#2 on node-1"));
  this->give_back("app-1", "a");
  EXPECT_THAT(this->placed(), ElementsAre("app-2/a#3 on node-1"));
}

// Sums of what is asked for stop at the largest number, and are no way to tell whether something still is.
TYPED_TEST(RulesOfApplicationLimits, OneThatAskedForMoreThanCanBeCountedMakesRoom) {
  this->begin();
  for (const std::string key : {"b", "c"}) this->ask("first", key, {{"vcore", INT64_MAX}});
  for (const std::string key : {"b", "c", "large"}) this->withdraw("first", key);
  this->give_back("first", "a");
  EXPECT_EQ(this->app("first")->state, application_state::completing);
  EXPECT_THAT(this->placed(), ElementsAre("second/a#2 on node-1"));
  EXPECT_THAT(this->running(), ElementsAre("second"));
}

TYPED_TEST(RulesOfApplicationLimits, OneThatLostItsLastAllocationAndStillAsksKeepsItsPlace) {
  for (const bool node_goes : {false, true}) {
    this->begin();
    if (node_goes) {
      this->change("node-1", node_event::decommission);
      this->add("node-2", {{"vcore", 9}});
    } else {
      this->give_back("first", "a");
    }
    EXPECT_THAT(this->placed(), IsEmpty());
    EXPECT_THAT(this->running(), ElementsAre("first"));
    EXPECT_THAT(this->running("root"), ElementsAre("first"));
    this->ask("first", "b", {{"vcore", 1}});
    EXPECT_THAT(this->placed(), ElementsAre(::testing::StartsWith("first/b#2")));
  }
}

TYPED_TEST(RulesOfApplicationLimits, ThePlaceIsGivenBackWithTheLastAsk) {
  this->begin();
  this->give_back("first", "a");
  EXPECT_THAT(this->placed(), IsEmpty());
  this->withdraw("first", "large");
  EXPECT_THAT(this->running(), IsEmpty());
  EXPECT_THAT(this->placed(), ElementsAre("second/a#2 on node-1"));
  EXPECT_THAT(this->running(), ElementsAre("second"));
}

TYPED_TEST(RulesOfApplicationLimits, AnAskThatIsSentAgainKeepsThePlace) {
  this->begin();
  this->give_back("first", "a");
  this->ask("first", "large", {{"vcore", 11}});
  EXPECT_THAT(this->placed(), IsEmpty());
  EXPECT_THAT(this->running(), ElementsAre("first"));
}

TYPED_TEST(RulesOfApplicationLimits, OneThatRanEmptyWaitsAsAnyOtherWhenItAsksAgain) {
  this->begin();
  this->withdraw("first", "large");
  this->give_back("first", "a");
  EXPECT_THAT(this->placed(), ElementsAre("second/a#2 on node-1"));
  EXPECT_THAT(this->ask("first", "b", {{"vcore", 1}}), ElementsAre("application_state first Running"));
  EXPECT_THAT(this->placed(), IsEmpty());
  EXPECT_THAT(this->running(), ElementsAre("second"));
  this->give_back("second", "a");
  EXPECT_THAT(this->placed(), ElementsAre("first/b#3 on node-1"));
}

TYPED_TEST(RulesOfApplicationLimits, OneThatIsFoundRunningIsCountedAndGoesOnBeyondTheLimit) {
  this->begin();
  this->put("node-1", this->existing("second", "x", {{"vcore", 1}}));
  EXPECT_THAT(this->running(), ElementsAre("first", "second"));
  EXPECT_THAT(this->placed(), ElementsAre("second/a#3 on node-1"));
  this->withdraw("first", "large");
  this->give_back("first", "a");
  this->add_app("third", {.user = "one"});
  this->ask("third", "a", {{"vcore", 1}});
  EXPECT_THAT(this->placed(), IsEmpty());
}

TYPED_TEST(RulesOfApplicationLimits, TheEndOfAnApplicationGivesItsPlaceBack) {
  this->begin();
  this->kill("first", "enough");
  EXPECT_THAT(this->placed(), IsEmpty()) << "what it has is there until the RM confirms";
  this->give_back("first", "a", termination::timeout);
  EXPECT_THAT(this->placed(), ElementsAre("second/a#2 on node-1"));
  this->begin();
  this->remove_app("first");
  EXPECT_THAT(this->placed(), ElementsAre("second/a#2 on node-1"));
}

TYPED_TEST(RulesOfApplicationLimits, GroupsCountAlike) {
  this->begin({make_limit({}, {"ops"}, {}, 1)});
  this->give_back("first", "a");
  EXPECT_THAT(this->placed(), IsEmpty());
  EXPECT_THAT(this->look().groups.front().running, ElementsAre("first"));
  this->withdraw("first", "large");
  EXPECT_THAT(this->placed(), ElementsAre("second/a#2 on node-1"));
}

TYPED_TEST(RulesOfApplicationLimits, APlaceIsTakenAlongAndOutlivesAConfiguration) {
  this->begin();
  this->give_back("first", "a");
  queue_config leaf = make_queue("leaf"), other = make_queue("other");
  leaf.limits = other.limits = {make_limit({"*"}, {}, {}, 1)};
  this->reload(make_cluster({leaf, other}));
  EXPECT_THAT(this->placed(), IsEmpty());
  this->move("first", "root.other");
  EXPECT_THAT(this->placed(), ElementsAre("second/a#2 on node-1"));
  EXPECT_THAT(this->running("root.other"), ElementsAre("first"));
  EXPECT_THAT(this->running("root"), ElementsAre("first", "second"));
  this->move("second", "root.other");
  EXPECT_EQ(this->app("second")->queue, "root.leaf");
  this->add_app("third", {.queue = "root.other", .user = "one"});
  this->ask("third", "a", {{"vcore", 1}});
  EXPECT_THAT(this->placed(), IsEmpty());
}

TYPED_TEST(RulesOfApplicationLimits, AGangKeepsItsPlaceWhileItsPlaceholdersGo) {
  queue_config leaf = make_queue("leaf");
  leaf.limits = {make_limit({"*"}, {}, {}, 1)};
  this->start({leaf});
  this->add("node-1", {{"vcore", 2}});
  this->add_app("gang", {.execution_timeout_ms = 60 * second, .placeholder_ask = {{"vcore", 4}}});
  this->add_app("second");
  this->ask("gang", "ph", {{"vcore", 2}}, {.count = 2, .task_group = "tg", .placeholder = true});
  this->ask("gang", "r", {{"vcore", 3}}, {.task_group = "tg"});
  this->ask("second", "a", {{"vcore", 1}});
  EXPECT_THAT(this->placed(), ElementsAre("gang/ph#1 on node-1"));
  this->wait(61 * second);
  EXPECT_THAT(this->give_back("gang", "ph", termination::timeout), ElementsAre("application_state gang Accepted"));
  EXPECT_THAT(this->placed(), IsEmpty());
  this->withdraw("gang", "r");
  EXPECT_THAT(this->placed(), ElementsAre("second/a#2 on node-1"));
}

TYPED_TEST(RulesOfApplicationLimits, WhatTheRmNeverLetRunHasNoPlaceToKeep) {
  cluster_config c = make_cluster({make_queue("leaf")});
  c.partitions[0].root.queues[0].limits = {make_limit({"*"}, {}, {}, 1)};
  this->start(c, second);
  this->add("node-1", {{"vcore", 9}});
  for (const std::string id : {"first", "second"}) {
    this->add_app(id);
    this->ask(id, "a", {{"vcore", 1}});
  }
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed first/a#1 on node-1"));
  this->refuse(1);
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed second/a#2 on node-1"));
  this->accept(2);
  this->give_back("second", "a", termination::scheduling_failed);
  EXPECT_EQ(this->app("second")->pending, (amount_map{{"vcore", 1}}));
  this->run(check_again{this->partition_, "first", {}, {}});
  this->wait(second);
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed second/a#3 on node-1")) << "the one that ran keeps its place";
}

}  // namespace
}  // namespace tenon::testing
