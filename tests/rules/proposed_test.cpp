// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of placements that the resource manager checks before they are made known.
#include "scene.hpp"

namespace tenon::testing {
namespace {

constexpr int64_t deadline_ms = 1'000;

template <class T>
class RulesOfProposals : public scene<T> {
 protected:
  void SetUp() override {
    begin([](cluster_config &) {});
  }

  // Two nodes of 10 vcores, node-1 first; an application.
  template <class Change>
  void begin(Change &&change) {
    cluster_config c = make_cluster({make_queue("leaf")});
    c.partitions[0].node_sort.type = "binpacking";
    change(c);
    this->start(c, deadline_ms);
    this->add("node-1", {{"vcore", 10}});
    this->add("node-2", {{"vcore", 10}});
    this->add_app("app");
  }
  allocation_state state_of(const std::string &app, size_t at = 0) { return this->app(app)->allocations.at(at).state; }
  // Says no to what is proposed until nothing is.
  void refuse_all() {
    for (int i = 0; i < 20; ++i) {
      const lines said = this->schedule(1);
      if (said.empty()) return;
      this->refuse(std::stoull(said.at(0).substr(said.at(0).find('#') + 1)));
    }
    ADD_FAILURE() << "what was refused is proposed again and again";
  }
  void expect_another_chance(const std::string &node) {
    const lines said = this->schedule(1);
    ASSERT_EQ(said.size(), 1U);
    EXPECT_THAT(said.at(0), ::testing::StartsWith("proposed app/a#"));
    EXPECT_THAT(said.at(0), ::testing::EndsWith(" on " + node));
    this->refuse(std::stoull(said.at(0).substr(said.at(0).find('#') + 1)));
    refuse_all();
  }
  void expect_nothing_of(const std::string &app) {
    EXPECT_THAT(this->app(app)->allocations, IsEmpty());
    EXPECT_EQ(this->queue_at("root.leaf")->allocated, amount_map());
  }
};
TYPED_TEST_SUITE(RulesOfProposals, schedulers);

TYPED_TEST(RulesOfProposals, APlacementIsCountedAtOnceAndMadeKnownWhenItIsAccepted) {
  this->ask("app", "a", {{"vcore", 4}}, {.execution_timeout_ms = 5 * second});
  EXPECT_THAT(this->schedule(), ElementsAre("proposed app/a#1 on node-1"));
  EXPECT_EQ(this->made_, 1U);
  this->deliver(1);
  EXPECT_EQ(this->state_of("app"), allocation_state::proposed);
  EXPECT_EQ(this->app("app")->state, application_state::accepted);
  EXPECT_EQ(this->app("app")->pending, amount_map());
  EXPECT_EQ(this->queue_at("root.leaf")->allocated, (amount_map{{"vcore", 4}}));
  EXPECT_EQ(this->node_of("node-1")->available, (amount_map{{"vcore", 6}}));
  this->now_ms_ += 300;
  EXPECT_THAT(this->accept(1), ElementsAre("allocated app/a#1 on node-1", "application_state app Starting"));
  EXPECT_EQ(this->state_of("app"), allocation_state::allocated);
  EXPECT_EQ(this->app("app")->allocations.at(0).bind_time_ms, this->now_ms_);
  EXPECT_THAT(this->accept(1), IsEmpty());
  EXPECT_THAT(this->refuse(1), IsEmpty());
  // Its time runs from the answer, and the deadline means nothing any more.
  EXPECT_THAT(this->wait(5 * second - 1), IsEmpty());
  EXPECT_THAT(this->wait(1), ElementsAre("released app/a#1 on node-1 TIMEOUT: execution time of allocation a is over"));
}

TYPED_TEST(RulesOfProposals, OthersAreNotAsked) {
  this->start({make_queue("leaf")});
  this->add("node-1", {{"vcore", 10}});
  this->add_app("app");
  this->ask("app", "a", {{"vcore", 4}});
  EXPECT_THAT(this->placed(), ElementsAre("app/a#1 on node-1"));
}

TYPED_TEST(RulesOfProposals, ARefusedOneGoesElsewhere) {
  this->ask("app", "a", {{"vcore", 4}});
  this->schedule();
  EXPECT_THAT(this->refuse(1), ElementsAre("undone app/a#1 on node-1: the resource manager refuses node node-1: no"));
  this->expect_nothing_of("app");
  EXPECT_EQ(this->app("app")->state, application_state::accepted);
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed app/a#2 on node-2"));
  this->refuse(2);
  EXPECT_THAT(this->schedule(9), IsEmpty());
  // Of this ask alone.
  this->ask("app", "b", {{"vcore", 4}});
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed app/b#3 on node-1"));
}

TYPED_TEST(RulesOfProposals, NoAnswerInTimeTakesItBackAndRefusesNothing) {
  this->ask("app", "a", {{"vcore", 4}});
  this->schedule();
  this->deliver(1);
  EXPECT_THAT(this->wait(deadline_ms - 1), IsEmpty());
  EXPECT_THAT(this->wait(1),
              ElementsAre("undone app/a#1 on node-1: the resource manager did not answer about node node-1"));
  this->expect_nothing_of("app");
  EXPECT_THAT(this->accept(1), IsEmpty());
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed app/a#2 on node-1"));
}

TYPED_TEST(RulesOfProposals, ThereIsNoDeadlineBeforeTheRmHasTheCheck) {
  this->ask("app", "a", {{"vcore", 1}}, {.count = 3});
  this->schedule(9);
  EXPECT_THAT(this->wait(10 * deadline_ms), IsEmpty());
  this->deliver(2);
  EXPECT_THAT(this->wait(deadline_ms / 2), IsEmpty());
  this->deliver(2);  // what it has already does not begin anew
  this->deliver(9);
  this->accept(2);
  EXPECT_THAT(this->wait(deadline_ms / 2),
              ElementsAre("undone app/a#1 on node-1: the resource manager did not answer about node node-1"));
  EXPECT_THAT(this->wait(deadline_ms / 2),
              ElementsAre("undone app/a#3 on node-1: the resource manager did not answer about node node-1"));
}

TYPED_TEST(RulesOfProposals, DeadlinesRestWhileTheRmIsAway) {
  this->ask("app", "a", {{"vcore", 1}}, {.count = 3});
  this->schedule(9);
  this->deliver(2);
  this->signal(rm_signal::lost);
  EXPECT_THAT(this->wait(10 * deadline_ms), IsEmpty());
  this->signal(rm_signal::back);
  EXPECT_THAT(this->wait(deadline_ms - 1), IsEmpty());
  EXPECT_THAT(this->wait(1),
              ElementsAre("undone app/a#1 on node-1: the resource manager did not answer about node node-1",
                          "undone app/a#2 on node-1: the resource manager did not answer about node node-1"));
  EXPECT_THAT(this->wait(10 * deadline_ms), IsEmpty()) << "it never had the third";
}

TYPED_TEST(RulesOfProposals, AChangeOfTheNodeIsANewChance) {
  this->ask("app", "other", {{"vcore", 1}});
  this->schedule();
  this->accept(1);
  this->ask("app", "a", {{"vcore", 4}});
  this->refuse_all();
  this->set_attributes("node-2", {{"si/zone", "a"}});
  this->expect_another_chance("node-2");
  this->set_capacity("node-1", {{"vcore", 11}});
  this->expect_another_chance("node-1");
  this->put("node-2", this->foreign("f", {{"vcore", 1}}));
  this->expect_another_chance("node-2");
  this->give_back("", "f");
  this->expect_another_chance("node-2");
  this->give_back("app", "other");
  this->expect_another_chance("node-1");
}

TYPED_TEST(RulesOfProposals, TheRmMaySayThatItAnswersOtherwise) {
  this->ask("app", "a", {{"vcore", 4}});
  this->refuse_all();
  this->run(check_again{this->partition_, "app", "a", "node-1"});
  this->expect_another_chance("node-1");
  this->run(check_again{this->partition_, "app", "b", {}});
  this->run(check_again{this->partition_, "nobody", {}, {}});
  this->run(check_again{this->partition_, {}, {}, "node-3"});
  EXPECT_THAT(this->schedule(9), IsEmpty());
  this->run(check_again{this->partition_, {}, {}, {}});
  this->expect_another_chance("node-1");
  this->signal(rm_signal::lost);
  this->signal(rm_signal::back);
  this->expect_another_chance("node-1");
}

TYPED_TEST(RulesOfProposals, MaxapplicationsCountsAnApplicationWithAProposal) {
  this->begin([](cluster_config &c) { c.partitions[0].root.queues[0].max_applications = 1; });
  this->add_app("second");
  this->ask("app", "a", {{"vcore", 1}}, {.count = 2});
  this->ask("second", "b", {{"vcore", 1}});
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed app/a#1 on node-1", "proposed app/a#2 on node-1"));
  this->refuse(1);
  EXPECT_THAT(this->withdraw("app", "a"), ElementsAre("undone app/a#2 on node-1: allocation remove as per RM request",
                                                      "application_state app Completing"));
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed second/b#3 on node-1"));
}

TYPED_TEST(RulesOfProposals, AReleaseEndsItForGood) {
  this->ask("app", "a", {{"vcore", 1}}, {.count = 2});
  this->schedule(9);
  EXPECT_THAT(
      this->give_back("app", "a", termination::stopped_by_rm, release_what::both),
      ElementsAre("undone app/a#1 on node-1: allocation remove as per RM request",
                  "undone app/a#2 on node-1: allocation remove as per RM request", "application_state app Completing"));
  EXPECT_THAT(this->schedule(9), IsEmpty());
}

TYPED_TEST(RulesOfProposals, AReleaseOfAllocationsAloneLeavesTheAsk) {
  this->ask("app", "a", {{"vcore", 1}}, {.count = 2});
  this->schedule(9);
  this->accept(1);
  EXPECT_THAT(this->give_back("app", ""),
              ElementsAre("undone app/a#2 on node-1: allocation remove as per RM request",
                          "released app/a#1 on node-1 STOPPED_BY_RM: allocation remove as per RM request"));
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed app/a#3 on node-1"));
}

TYPED_TEST(RulesOfProposals, ALimitedReleaseIsAboutWhatIsKnown) {
  this->ask("app", "a", {{"vcore", 1}}, {.count = 2});
  this->schedule(9);
  this->accept(2);
  EXPECT_THAT(this->give_back("app", "a", termination::stopped_by_rm, release_what::allocations, 1),
              ElementsAre("released app/a#2 on node-1 STOPPED_BY_RM: allocation remove as per RM request"));
  EXPECT_EQ(this->state_of("app"), allocation_state::proposed);
}

TYPED_TEST(RulesOfProposals, AnAskThatIsReplacedBeginsAnew) {
  this->ask("app", "a", {{"vcore", 4}});
  this->schedule();
  EXPECT_THAT(this->ask("app", "a", {{"vcore", 5}}),
              ElementsAre("undone app/a#1 on node-1: the ask is another one now"));
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed app/a#2 on node-1"));
  EXPECT_EQ(this->app("app")->allocations.at(0).resources, (amount_map{{"vcore", 5}}));
}

TYPED_TEST(RulesOfProposals, WhatTheRmReportsTakesItsPlace) {
  this->ask("app", "a", {{"vcore", 4}});
  this->schedule();
  EXPECT_THAT(this->put("node-2", this->existing("app", "a", {{"vcore", 4}})),
              ElementsAre("undone app/a#1 on node-1: the ask is another one now",
                          "allocated app/a#2 on node-2 existing", "application_state app Starting"));
  EXPECT_THAT(this->schedule(9), IsEmpty());
}

TYPED_TEST(RulesOfProposals, ANodeThatGoesGivesTheAskBack) {
  this->ask("app", "a", {{"vcore", 4}});
  this->schedule();
  EXPECT_THAT(this->change("node-1", node_event::decommission),
              ElementsAre("undone app/a#1 on node-1: Node node-1 Removed"));
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed app/a#2 on node-2"));
}

TYPED_TEST(RulesOfProposals, ADrainingNodeGivesItBackButWhatRequiresIt) {
  this->ask("app", "a", {{"vcore", 4}});
  this->ask("app", "d", {{"vcore", 1}}, {.required_node = "node-1"});
  this->schedule(9);
  EXPECT_THAT(this->change("node-1", node_event::drain),
              ElementsAre("undone app/a#1 on node-1: the node does not take the ask any more"));
  EXPECT_EQ(this->state_of("app"), allocation_state::proposed);
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed app/a#3 on node-2"));
}

TYPED_TEST(RulesOfProposals, AFailingApplicationTakesThemBackBeforeItsAsksAreDropped) {
  this->add_app("short", {.execution_timeout_ms = 500});
  this->ask("short", "s", {{"vcore", 1}}, {.count = 2});
  this->schedule(9);
  this->accept(1);
  EXPECT_THAT(this->wait(500), ElementsAre("application_state short Failing",
                                           "undone short/s#2 on node-1: the application does not run any more",
                                           "released short/s#1 on node-1 TIMEOUT: ExecutionTimeout",
                                           "ask_released short/s TIMEOUT: ExecutionTimeout"));
}

TYPED_TEST(RulesOfProposals, AnApplicationThatIsRemovedTakesThemAlong) {
  this->ask("app", "a", {{"vcore", 1}}, {.count = 2});
  this->schedule(9);
  this->accept(2);
  EXPECT_THAT(this->remove_app("app"),
              ElementsAre("undone app/a#1 on node-1: Application app Removed",
                          "released app/a#2 on node-1 STOPPED_BY_RM: Application app Removed"));
}

TYPED_TEST(RulesOfProposals, AProposalIsNoVictim) {
  this->begin([](cluster_config &c) {
    c.partitions[0].root.queues.push_back(make_queue("theirs"));
    queue_config &mine = c.partitions[0].root.queues[0];
    mine.guaranteed = {{"vcore", 20}};
    mine.properties["preemption.delay"] = "500ms";
  });
  this->add_app("other", {.queue = "root.theirs"});
  this->ask("other", "o", {{"vcore", 10}}, {.count = 2});
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed other/o#1 on node-1", "proposed other/o#2 on node-2"));
  this->accept(2);
  this->ask("app", "a", {{"vcore", 10}}, {.preempt_other = true});
  this->now_ms_ += 500;
  const lines said = this->schedule(1);
  EXPECT_THAT(said, ::testing::Contains(::testing::StartsWith("released other/o#2 on node-2 PREEMPTED")));
  EXPECT_THAT(said, ::testing::Not(::testing::Contains(::testing::HasSubstr("other/o#1"))));
}

// -- Gangs. --

const ask_options placeholder{.task_group = "tg", .placeholder = true};
const ask_options real{.task_group = "tg"};

template <class T>
class RulesOfProposedGangs : public RulesOfProposals<T> {
 protected:
  // A gang of two placeholders of 2 vcores on node-1, both accepted.
  void start_gang(bool hard = false) {
    this->add_app("gang", {.execution_timeout_ms = 60 * second, .placeholder_ask = {{"vcore", 4}}, .hard_gang = hard});
    ask_options o = placeholder;
    o.count = 2;
    this->ask("gang", "ph", {{"vcore", 2}}, o);
    this->schedule(2);
  }
};
TYPED_TEST_SUITE(RulesOfProposedGangs, schedulers);

TYPED_TEST(RulesOfProposedGangs, AGangStartsWhenTheLastPlaceholderIsAccepted) {
  this->start_gang();
  EXPECT_EQ(this->app("gang")->state, application_state::accepted);
  EXPECT_THAT(this->accept(2), ElementsAre("allocated gang/ph#2 on node-1"));
  EXPECT_THAT(this->accept(1), ElementsAre("allocated gang/ph#1 on node-1", "application_state gang Starting"));
}

TYPED_TEST(RulesOfProposedGangs, RealAsksWaitForAPlaceholderThatIsProposed) {
  this->start_gang();
  this->ask("gang", "r", {{"vcore", 2}}, real);
  EXPECT_THAT(this->schedule(9), IsEmpty());
}

TYPED_TEST(RulesOfProposedGangs, AReplacementIsProposedBeforeThePlaceholderGoes) {
  this->start_gang();
  this->accept(1);
  this->accept(2);
  this->ask("gang", "r", {{"vcore", 2}}, real);
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed gang/r#3 on node-1: in place of ph"));
  EXPECT_EQ(this->app("gang")->allocations.at(0).state, allocation_state::allocated);
  EXPECT_EQ(this->app("gang")->allocations.at(0).proposed_as, 3U);
  EXPECT_EQ(this->queue_at("root.leaf")->allocated, (amount_map{{"vcore", 4}}));
  EXPECT_THAT(this->accept(3),
              ElementsAre("released gang/ph#1 on node-1 PLACEHOLDER_REPLACED: replacing allocationKey: r"));
  EXPECT_THAT(this->give_back("gang", "ph", termination::placeholder_replaced, release_what::allocations, 1),
              ElementsAre("allocated gang/r#4 on node-1"));
}

TYPED_TEST(RulesOfProposedGangs, ARefusedReplacementLeavesThePlaceholderAndGoesElsewhere) {
  this->start_gang();
  this->accept(1);
  this->accept(2);
  this->ask("gang", "r", {{"vcore", 2}}, real);
  this->schedule(9);
  EXPECT_THAT(this->refuse(3), ElementsAre("undone gang/r#3 on node-1: the resource manager refuses node node-1: no"));
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed gang/r#4 on node-2: in place of ph"));
  EXPECT_EQ(this->node_of("node-2")->allocated, (amount_map{{"vcore", 2}}));
  EXPECT_THAT(this->refuse(4), ElementsAre("undone gang/r#4 on node-2: the resource manager refuses node node-2: no"));
  EXPECT_EQ(this->node_of("node-2")->allocated, amount_map());
  EXPECT_THAT(this->schedule(9), IsEmpty());
  EXPECT_EQ(this->app("gang")->pending, (amount_map{{"vcore", 2}}));
}

TYPED_TEST(RulesOfProposedGangs, EachPlaceholderIsProposedToOneAtATime) {
  this->start_gang();
  this->accept(1);
  this->accept(2);
  this->ask("gang", "r", {{"vcore", 2}}, {.count = 3, .task_group = "tg"});
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed gang/r#3 on node-1: in place of ph",
                                             "proposed gang/r#4 on node-1: in place of ph"));
}

TYPED_TEST(RulesOfProposedGangs, APlaceholderThatGoesTakesTheProposalAlong) {
  this->start_gang();
  this->accept(1);
  this->accept(2);
  this->ask("gang", "r", {{"vcore", 2}}, real);
  this->schedule(9);
  EXPECT_THAT(this->give_back("gang", "ph", termination::stopped_by_rm, release_what::allocations, 1),
              ElementsAre("undone gang/r#3 on node-1: placeholder ph is released",
                          "released gang/ph#1 on node-1 STOPPED_BY_RM: allocation remove as per RM request"));
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed gang/r#4 on node-1: in place of ph"));
}

TYPED_TEST(RulesOfProposedGangs, AGangThatGivesUpTakesBackWhatIsProposed) {
  this->start_gang(true);
  this->accept(1);
  this->wait(59 * second + 500);
  this->refuse(2);
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed gang/ph#3 on node-2"));
  EXPECT_THAT(
      this->wait(500),
      ElementsAre("application_state gang Failing", "undone gang/ph#3 on node-2: the application does not run any more",
                  "released gang/ph#1 on node-1 TIMEOUT: releasing allocated placeholders on placeholder timeout",
                  "ask_released gang/ph TIMEOUT: releasing pending placeholders on placeholder timeout"));
}

TYPED_TEST(RulesOfProposals, NobodyGivesWayOnARequiredNodeThatWasRefused) {
  this->ask("app", "daemon", {{"vcore", 6}}, {.count = 2, .priority = 1, .required_node = "node-1"});
  EXPECT_THAT(this->schedule(2), ElementsAre("proposed app/daemon#1 on node-1", "reserved app/daemon on node-1"));
  this->refuse(1);
  this->put("node-1", this->existing("app", "other", {{"vcore", 6}}));
  EXPECT_THAT(this->schedule(9), IsEmpty());
  this->run(check_again{this->partition_, "app", "daemon", {}});
  EXPECT_THAT(this->schedule(9), ElementsAre(HasSubstr("released app/other#2 on node-1 PREEMPTED_BY_SCHEDULER")));
}

TYPED_TEST(RulesOfProposals, WhatWasProposedAndRefusedLeavesNoPlaceBehind) {
  queue_config leaf = make_queue("leaf");
  leaf.limits = {make_limit({"*"}, {}, {}, 1)};
  this->start(make_cluster({leaf}), second);
  this->add("node-1", {{"vcore", 9}});
  this->add_app("app-1");
  this->add_app("app-2");
  this->ask("app-1", "a", {{"vcore", 1}});
  this->ask("app-2", "a", {{"vcore", 1}});
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed app-1/a#1 on node-1"));
  EXPECT_THAT(this->look().users.at(0).running, ElementsAre("app-1"));
  this->refuse(1);
  EXPECT_THAT(this->look().users, IsEmpty());
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed app-2/a#2 on node-1"));
}

TYPED_TEST(RulesOfProposals, RoomOnARefusedNodeDoesNotKeepFromPreemptingOnAnother) {
  queue_config ours = make_queue("ours");
  ours.guaranteed = {{"vcore", 4}};
  ours.properties["preemption.delay"] = "1s";
  this->start(make_cluster({ours, make_queue("theirs")}), second);
  this->add("full", {{"vcore", 2}});
  this->add_app("them", {.queue = "root.theirs"});
  this->add_app("us", {.queue = "root.ours"});
  this->ask("them", "a", {{"vcore", 2}});
  this->schedule(9);
  this->accept(1);
  this->add("room", {{"vcore", 9}});
  this->ask("us", "k", {{"vcore", 2}}, {.preempt_other = true});
  EXPECT_THAT(this->schedule(9), ElementsAre("proposed us/k#2 on room"));
  this->refuse(2);
  this->wait(second);
  EXPECT_THAT(this->schedule(1), ElementsAre("reserved us/k on full",
                                             "released them/a#1 on full PREEMPTED_BY_SCHEDULER: preempting "
                                             "allocations to free up resources to run ask: k"));
}

}  // namespace
}  // namespace tenon::testing
