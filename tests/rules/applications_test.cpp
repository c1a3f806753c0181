// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of applications: intake, states and timers.
#include "scene.hpp"

namespace tenon::testing {
namespace {

template <class T>
using RulesOfApplications = scene<T>;
TYPED_TEST_SUITE(RulesOfApplications, schedulers);

TYPED_TEST(RulesOfApplications, OneIsAcceptedWhereItIsPlaced) {
  this->start({make_queue("leaf")});
  EXPECT_THAT(this->add_app("app-1"), ElementsAre("application_accepted app-1"));
  EXPECT_EQ(this->app("app-1")->queue, "root.leaf");
  EXPECT_EQ(this->app("app-1")->state, application_state::new_);
}

TYPED_TEST(RulesOfApplications, OneWithoutQueueIsRejectedAndKept) {
  this->start({make_queue("leaf")});
  const std::string why =
      "failed to place application app-1: application rejected: no placement rule matched; there is no queue "
      "root.other; below root there is leaf; use root.leaf";
  EXPECT_THAT(this->add_app("app-1", {.queue = "root.other"}), ElementsAre("application_rejected app-1: " + why));
  EXPECT_EQ(this->app("app-1")->state, application_state::rejected);
  EXPECT_EQ(this->app("app-1")->message, why);
  EXPECT_THAT(this->wait(3 * 24 * 3'600 * second), ElementsAre("application_state app-1 Expired"));
  EXPECT_FALSE(this->app("app-1"));
}

TYPED_TEST(RulesOfApplications, ASecondOneOfTheSameIdIsRejected) {
  this->start({make_queue("leaf")});
  this->add_app("app-1");
  EXPECT_THAT(this->add_app("app-1"),
              ElementsAre("application_rejected app-1: adding application app-1 to partition [rm]default, but "
                          "application already existed; submit it with another ID, or remove the first one before"));
  EXPECT_EQ(this->look().applications.size(), 1U);
  EXPECT_EQ(this->look().ended.size(), 0U);
}

TYPED_TEST(RulesOfApplications, AUserIsNeededUnlessForced) {
  this->start({make_queue("leaf")});
  EXPECT_THAT(this->add_app("app-1", {.user = ""}),
              ElementsAre("application_rejected app-1: empty user cannot resolve; set the name of the user in ugi"));
  this->add_app("app-2", {.user = "", .groups = {}, .tags = {{"application.create.force", "true"}}});
  EXPECT_EQ(this->app("app-2")->user, "nobody");
  EXPECT_THAT(this->app("app-2")->groups, ElementsAre("nogroup"));
  EXPECT_THAT(
      this->add_app("app-3", {.user = "no name"}),
      ElementsAre("application_rejected app-3: invalid username, it contains invalid characters: \"no name\"; use a "
                  "letter or _ first, and then letters, digits and : # / _ . @ -"));
}

TYPED_TEST(RulesOfApplications, StatesFollowAsksAndAllocations) {
  this->start({make_queue("leaf")});
  this->add("node-1", {{"vcore", 10}});
  this->add_app("app-1");
  EXPECT_THAT(this->ask("app-1", "ask-1", {{"vcore", 1}}, {.count = 2}),
              ElementsAre("application_state app-1 Accepted"));
  EXPECT_THAT(this->schedule(), ElementsAre("allocated app-1/ask-1#1 on node-1", "application_state app-1 Starting"));
  EXPECT_THAT(this->schedule(), ElementsAre("allocated app-1/ask-1#2 on node-1", "application_state app-1 Running"));
  EXPECT_THAT(this->schedule(), IsEmpty());
  EXPECT_THAT(this->give_back("app-1", "ask-1"),
              ElementsAre("released app-1/ask-1#1 on node-1 STOPPED_BY_RM: allocation remove as per RM request",
                          "released app-1/ask-1#2 on node-1 STOPPED_BY_RM: allocation remove as per RM request",
                          "application_state app-1 Completing"));
  EXPECT_THAT(this->wait(29 * second), IsEmpty());
  EXPECT_THAT(this->wait(second), ElementsAre("application_state app-1 Completed"));
  EXPECT_EQ(this->look().applications.size(), 0U);
  EXPECT_EQ(this->look().ended.size(), 1U);
}

TYPED_TEST(RulesOfApplications, StartingBecomesRunningAfterFiveMinutes) {
  this->start({make_queue("leaf")});
  this->add("node-1", {{"vcore", 10}});
  this->add_app("app-1");
  this->ask("app-1", "ask-1", {{"vcore", 1}});
  this->schedule();
  EXPECT_THAT(this->wait(300 * second - 1), IsEmpty());
  EXPECT_THAT(this->wait(1), ElementsAre("application_state app-1 Running"));
}

TYPED_TEST(RulesOfApplications, ATagSkipsStarting) {
  this->start({make_queue("leaf")});
  this->add("node-1", {{"vcore", 10}});
  this->add_app("app-1", {.tags = {{"Application.StateAware.Disable", "true"}}});
  this->ask("app-1", "ask-1", {{"vcore", 1}});
  EXPECT_THAT(this->schedule(), ElementsAre("allocated app-1/ask-1#1 on node-1", "application_state app-1 Running"));
}

TYPED_TEST(RulesOfApplications, CompletingGoesOnWithANewAsk) {
  this->start({make_queue("leaf")});
  this->add_app("app-1");
  this->ask("app-1", "ask-1", {{"vcore", 1}});
  EXPECT_THAT(this->withdraw("app-1", "ask-1"), ElementsAre("application_state app-1 Completing"));
  EXPECT_THAT(this->ask("app-1", "ask-2", {{"vcore", 1}}), ElementsAre("application_state app-1 Running"));
  EXPECT_THAT(this->wait(60 * second), IsEmpty());
}

TYPED_TEST(RulesOfApplications, RemovalGivesEverythingBackAndForgets) {
  this->start({make_queue("leaf")});
  this->add("node-1", {{"vcore", 10}});
  this->add_app("app-1");
  this->ask("app-1", "ask-1", {{"vcore", 1}}, {.count = 3});
  this->schedule(2);
  EXPECT_THAT(this->remove_app("app-1"),
              ElementsAre("released app-1/ask-1#1 on node-1 STOPPED_BY_RM: Application app-1 Removed",
                          "released app-1/ask-1#2 on node-1 STOPPED_BY_RM: Application app-1 Removed"));
  EXPECT_FALSE(this->app("app-1"));
  EXPECT_EQ(this->queue_at("root")->pending, amount_map());
  EXPECT_THAT(this->remove_app("app-1"), IsEmpty());
}

TYPED_TEST(RulesOfApplications, TheExecutionTimeoutFailsItAndWaitsForConfirmation) {
  this->start({make_queue("leaf")});
  this->add("node-1", {{"vcore", 1}});
  this->add_app("app-1", {.execution_timeout_ms = 10 * second});
  this->ask("app-1", "ask-1", {{"vcore", 1}}, {.count = 2});
  this->wait(30 * second);
  this->schedule();
  EXPECT_THAT(this->wait(10 * second), ElementsAre("application_state app-1 Failing",
                                                   "released app-1/ask-1#1 on node-1 TIMEOUT: ExecutionTimeout",
                                                   "ask_released app-1/ask-1 TIMEOUT: ExecutionTimeout"));
  EXPECT_EQ(this->queue_at("root")->allocated, (amount_map{{"vcore", 1}}));
  EXPECT_THAT(this->ask("app-1", "ask-2", {{"vcore", 1}}),
              ElementsAre(HasSubstr("ask_rejected app-1/ask-2: application app-1 is Failing")));
  EXPECT_THAT(this->give_back("app-1", "ask-1", termination::timeout), ElementsAre("application_state app-1 Failed"));
  EXPECT_EQ(this->app("app-1")->message, "ExecutionTimeout: 10s since it started");
}

TYPED_TEST(RulesOfApplications, TimersFireInOrderWithTheirOwnTime) {
  this->start({make_queue("leaf")});
  this->add_app("app-1");
  this->add_app("app-2");
  this->ask("app-1", "ask-1", {{"vcore", 1}});
  this->ask("app-2", "ask-1", {{"vcore", 1}});
  this->withdraw("app-2", "");
  this->wait(second);
  this->withdraw("app-1", "");
  EXPECT_THAT(this->wait(3'600 * second),
              ElementsAre("application_state app-2 Completed", "application_state app-1 Completed"));
  EXPECT_EQ(this->app("app-1")->finished_ms, start_ms + 31 * second);
}

TYPED_TEST(RulesOfApplications, AGangRunsWhenAllPlaceholdersArePlaced) {
  this->start({make_queue("leaf")});
  this->add("node-1", {{"vcore", 10}});
  EXPECT_THAT(this->add_app("app-1", {.placeholder_ask = {{"vcore", 2}}}), ElementsAre("application_accepted app-1"));
  this->ask("app-1", "ph", {{"vcore", 1}}, {.count = 2, .task_group = "tg", .placeholder = true});
  EXPECT_THAT(this->schedule(), ElementsAre("allocated app-1/ph#1 on node-1"));
  EXPECT_THAT(this->schedule(), ElementsAre("allocated app-1/ph#2 on node-1", "application_state app-1 Starting"));
}

TYPED_TEST(RulesOfApplications, AGangNeedsAFifoQueueThatCanHoldIt) {
  queue_config fair = make_queue("fair"), small = make_queue("small");
  fair.properties["application.sort.policy"] = "fair";
  small.max = {{"vcore", 1}};
  this->start({fair, small});
  EXPECT_THAT(this->add_app("app-1", {.queue = "root.fair", .placeholder_ask = {{"vcore", 2}}}),
              ElementsAre("application_rejected app-1: queue root.fair cannot run application app-1 with task group "
                          "request: unsupported sort type fair; set its property application.sort.policy to fifo or "
                          "stateaware, or use another queue"));
  EXPECT_THAT(this->add_app("app-2", {.queue = "root.small", .placeholder_ask = {{"memory", 5}, {"vcore", 2}}}),
              ElementsAre("application_rejected app-2: queue root.small cannot fit application app-2: task group "
                          "request map[memory:5 vcore:2] larger than max queue allocation map[vcore:1]; ask "
                          "for less, use another queue, or raise max of the queue or of those above"));
}

TYPED_TEST(RulesOfApplications, OneThatComesBackWaitsForAPlace) {
  queue_config leaf = make_queue("leaf");
  leaf.max_applications = 1;
  this->start({leaf});
  this->add("node-1", {{"vcore", 10}});
  this->add_app("first");
  this->add_app("second");
  this->ask("first", "a", {{"vcore", 1}});
  this->schedule(5);
  this->ask("second", "a", {{"vcore", 1}});
  this->give_back("first", "a");
  EXPECT_EQ(this->app("first")->state, application_state::completing);
  this->schedule(5);
  EXPECT_EQ(this->app("second")->state, application_state::starting);
  EXPECT_THAT(this->ask("first", "b", {{"vcore", 1}}), ElementsAre("application_state first Accepted"));
  EXPECT_THAT(this->schedule(5), IsEmpty());
  this->give_back("second", "a");
  EXPECT_THAT(this->schedule(5), ElementsAre("allocated first/b#3 on node-1", "application_state first Starting"));
}

TYPED_TEST(RulesOfApplications, AnAllocationOfTheLargestAmountIsResizedAndReleased) {
  constexpr int64_t most = int64_t{1} << 62;
  this->start({make_queue("leaf")});
  this->add("node-1", {{"vcore", 10}, {"memory", most}});
  this->add_app("app-1");
  this->put("node-1", this->existing("app-1", "a", {{"vcore", 1}, {"memory", most}}));
  this->put("node-1", this->existing("app-1", "a", {{"vcore", 2}, {"memory", most}}));
  EXPECT_EQ(this->look().queues.front().allocated, (amount_map{{"vcore", 2}, {"memory", most}}));
  this->give_back("app-1", "a");
  EXPECT_EQ(this->look().queues.front().allocated, amount_map());
}

}  // namespace
}  // namespace tenon::testing
