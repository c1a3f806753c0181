// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of what is said of a change of an application's state: why, in one line, with its numbers.
#include "scene.hpp"

namespace tenon::testing {
namespace {

template <class T>
class RulesOfStateReasons : public scene<T> {
 protected:
  void SetUp() override {
    this->start({make_queue("leaf")});
    this->add("node-1", {{"vcore", 4}});
  }
};
TYPED_TEST_SUITE(RulesOfStateReasons, schedulers);

TYPED_TEST(RulesOfStateReasons, AnApplicationFromItsFirstAskToItsEnd) {
  this->add_app("app");
  this->ask("app", "a", {{"vcore", 1}}, {.count = 2});
  this->schedule(9);
  this->give_back("app", "a");
  this->wait(second);
  this->ask("app", "b", {{"vcore", 1}});
  this->withdraw("app", "b");
  this->wait(30 * second);
  EXPECT_THAT(
      this->reasons(),
      ElementsAre("Accepted: an ask was added", "Starting: an allocation was added", "Running: an allocation was added",
                  "Completing: nothing is pending or allocated", "Running: an ask was added",
                  "Completing: nothing is pending or allocated", "Completed: CompletingTimeout: 30s in Completing"));
  EXPECT_EQ(this->app("app")->message, "CompletingTimeout: 30s in Completing");
  this->wait(3 * 24 * 3'600 * second);
  EXPECT_THAT(this->reasons(), ElementsAre("Expired: TerminatedTimeout: 72h0m0s in Completed"));
}

TYPED_TEST(RulesOfStateReasons, WhatIsFoundRunningAndWhatOnlyStarts) {
  this->add_app("app");
  this->put("node-1", this->existing("app", "a", {{"vcore", 1}}));
  this->wait(300 * second);
  EXPECT_THAT(this->reasons(), ElementsAre("Accepted: an allocation was added", "Starting: an allocation was added",
                                           "Running: StartingTimeout: 5m0s in Starting"));
}

TYPED_TEST(RulesOfStateReasons, AFailureIsWhatMadeItFailUntilItIsForgotten) {
  this->add_app("slow", {.execution_timeout_ms = 10 * second});
  this->add_app("killed");
  for (const std::string id : {"slow", "killed"}) this->ask(id, "a", {{"vcore", 1}});
  this->schedule(9);
  this->reasons();
  this->wait(10 * second);
  this->kill("killed", "by alice: it was\na mistake");
  for (const std::string id : {"slow", "killed"}) this->give_back(id, "a", termination::timeout);
  EXPECT_THAT(this->reasons(), ElementsAre("Failing: ExecutionTimeout: 10s since it started",
                                           "Failing: ApplicationKilled: by alice: it was a mistake",
                                           "Failed: ExecutionTimeout: 10s since it started",
                                           "Failed: ApplicationKilled: by alice: it was a mistake"));
}

TYPED_TEST(RulesOfStateReasons, Gangs) {
  const ask_options placeholders{.count = 2, .task_group = "tg", .placeholder = true};
  for (const bool hard : {false, true}) {
    this->add_app("gang", {.tags = {{"tenon/gang-start", "piecewise"}},
                           .execution_timeout_ms = 60 * second,
                           .placeholder_ask = {{"vcore", 6}},
                           .hard_gang = hard});
    this->ask("gang", "ph", {{"vcore", 3}}, placeholders);
    this->schedule(9);
    this->wait(60 * second);
    this->give_back("gang", "ph", termination::timeout);
    if (!hard) this->remove_app("gang");
  }
  const std::string timeout = "ResourceReservationTimeout: 1m0s in Accepted, placeholders allocated: 1, pending: 1";
  EXPECT_THAT(this->reasons(),
              ElementsAre("Accepted: an ask was added", "Resuming: " + timeout, "Accepted: no placeholder is left",
                          "Completing: nothing is pending or allocated", "Accepted: an ask was added",
                          "Failing: " + timeout, "Failed: " + timeout));
  this->add_app("whole", {.placeholder_ask = {{"vcore", 4}}});
  this->ask("whole", "ph", {{"vcore", 2}}, placeholders);
  this->schedule(9);
  EXPECT_EQ(this->reasons().back(), "Starting: all placeholders are allocated");
}

TYPED_TEST(RulesOfStateReasons, APartitionThatIsGone) {
  cluster_config other = make_cluster({make_queue("leaf")});
  other.partitions[0].name = "other";
  this->add_app("app");
  this->ask("app", "a", {{"vcore", 1}});
  this->schedule(9);
  this->reasons();
  this->reload(other);
  this->wait(20 * second);
  EXPECT_THAT(this->reasons(),
              ElementsAre("Failing: PartitionRemoved: 20s of draining", "Failed: PartitionRemoved: 20s of draining"));
}

}  // namespace
}  // namespace tenon::testing
