// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of partitions that people stop, start and drain.
#include "scene.hpp"

namespace tenon::testing {
namespace {

template <class T>
class RulesOfPartitions : public scene<T> {
 public:
  lines turn_all(object_event e) { return this->run(change_partition{this->partition_, static_cast<uint8_t>(e)}); }
  // app-1 runs a of two, and b waits.
  void begin() {
    this->start({make_queue("leaf")});
    this->add("node-1", {{"vcore", 1}});
    this->add_app("app-1");
    this->ask("app-1", "a", {{"vcore", 1}}, {.count = 2});
    EXPECT_THAT(this->placed(), ElementsAre("app-1/a#1 on node-1"));
  }
};
TYPED_TEST_SUITE(RulesOfPartitions, schedulers);

TYPED_TEST(RulesOfPartitions, NothingIsPlacedInAStoppedOneUntilItIsStarted) {
  this->begin();
  EXPECT_THAT(this->turn_all(object_event::stop), ElementsAre());
  EXPECT_THAT(this->turn_all(object_event::stop), ElementsAre()) << "once more";
  EXPECT_EQ(this->look().state, object_state::stopped);
  EXPECT_THAT(this->add("node-2", {{"vcore", 4}}), ElementsAre("node_accepted on node-2")) << "it is there afterwards";
  EXPECT_THAT(this->ask("app-1", "b", {{"vcore", 1}}), ElementsAre());
  EXPECT_THAT(this->placed(), ElementsAre());
  EXPECT_EQ(this->app("app-1")->allocations.size(), 1U) << "what runs stays";
  this->turn_all(object_event::start);
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#2 on node-2", "app-1/b#3 on node-2"));
}

TYPED_TEST(RulesOfPartitions, NothingIsPlacedBelowAStoppedRoot) {
  this->begin();
  this->turn("root", object_event::stop);
  this->add("node-2", {{"vcore", 4}});
  EXPECT_THAT(this->placed(), ElementsAre());
  EXPECT_THAT(this->run(inspect{}), ElementsAre(HasSubstr("SKIPPED")));
  this->turn("root", object_event::start);
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#2 on node-2"));
}

TYPED_TEST(RulesOfPartitions, AStoppedOneTakesNoNewApplications) {
  this->begin();
  this->turn_all(object_event::stop);
  EXPECT_THAT(
      this->add_app("app-2"),
      ElementsAre(
          "application_rejected app-2: partition [rm]default is stopped cannot add a new application "
          "app-2, its state is Stopped; submit it again when `tenon ctl start partition '[rm]default'` was run"));
  EXPECT_THAT(this->ask("", "alone", {{"vcore", 1}}), ElementsAre(HasSubstr("its state is Stopped")));
  this->give_back("app-1", "a");
  EXPECT_EQ(this->app("app-1")->allocations.size(), 0U) << "what ends ends";
}

TYPED_TEST(RulesOfPartitions, AStoppedOneIsStoppedWhateverConfigurationNamesIt) {
  this->begin();
  this->turn_all(object_event::stop);
  this->reload(make_cluster({make_queue("leaf"), make_queue("more")}));
  EXPECT_EQ(this->look().state, object_state::stopped);
  cluster_config other = make_cluster({make_queue("leaf")});
  other.partitions[0].name = "other";
  this->reload(other);
  EXPECT_EQ(this->look().state, object_state::draining) << "and drains where one leaves it out";
  EXPECT_THAT(this->wait(20 * second), ::testing::Contains(HasSubstr("PartitionRemoved")));
}

TYPED_TEST(RulesOfPartitions, ADrainedOneGoesOnWithWhatItHasAndTakesNoMore) {
  this->begin();
  EXPECT_THAT(this->turn_all(object_event::remove), ElementsAre());
  EXPECT_EQ(this->look().state, object_state::draining);
  EXPECT_THAT(this->turn_all(object_event::remove), ElementsAre()) << "once more";
  EXPECT_THAT(this->add_app("app-2"), ElementsAre(HasSubstr("its state is Draining")));
  EXPECT_THAT(this->ask("", "alone", {{"vcore", 1}}), ElementsAre(HasSubstr("its state is Draining")));
  EXPECT_THAT(this->add("node-2", {{"vcore", 1}}), ElementsAre(HasSubstr("its state is Draining")));
  EXPECT_THAT(this->ask("app-1", "b", {{"vcore", 1}}), ElementsAre());
  this->set_capacity("node-1", {{"vcore", 3}});
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#2 on node-1", "app-1/b#3 on node-1"));
  EXPECT_THAT(this->put("node-1", this->existing("app-1", "c", {{"vcore", 1}})),
              ElementsAre("allocated app-1/c#4 on node-1 existing"))
      << "what an RM reports of them is taken";
}

TYPED_TEST(RulesOfPartitions, ADrainedOneHasAllTheTimeItNeedsAndGoesWhenItIsEmptyAndLeftOut) {
  this->begin();
  this->turn_all(object_event::remove);
  EXPECT_THAT(this->wait(3'600 * second), ElementsAre("application_state app-1 Running")) << "nobody is thrown out";
  this->withdraw("app-1", "a");
  this->give_back("app-1", "a");
  this->wait(30 * second);  // Completing
  this->wait(10 * second);
  EXPECT_EQ(this->look().state, object_state::draining) << "an administrator can start it";
  cluster_config other = make_cluster({make_queue("leaf")});
  other.partitions[0].name = "other";
  this->reload(other);
  this->wait(10 * second);
  EXPECT_EQ(this->look().queues.size(), 0U);
}

TYPED_TEST(RulesOfPartitions, AnAdministratorAloneTakesADrainBack) {
  this->begin();
  this->turn_all(object_event::remove);
  this->turn_all(object_event::stop);
  EXPECT_EQ(this->look().state, object_state::draining);
  this->reload(make_cluster({make_queue("leaf")}));
  EXPECT_EQ(this->look().state, object_state::draining);
  cluster_config other = make_cluster({make_queue("leaf")});
  other.partitions[0].name = "other";
  this->reload(other);
  this->turn_all(object_event::start);
  EXPECT_EQ(this->look().state, object_state::draining) << "while the configuration leaves it out nobody does";
  this->reload(make_cluster({make_queue("leaf"), make_queue("more")}));
  EXPECT_EQ(this->look().state, object_state::draining);
  this->turn_all(object_event::start);
  EXPECT_EQ(this->look().state, object_state::active);
  EXPECT_THAT(this->add_app("app-2"), ElementsAre("application_accepted app-2"));
}

TYPED_TEST(RulesOfPartitions, WhatAnAdministratorStoppedIsStoppedWhenTheRmRegistersAgain) {
  const auto again = [&] { this->start({make_queue("leaf"), make_queue("other")}); };
  again();
  this->turn("root.leaf", object_event::stop);
  this->add("node-1", {{"vcore", 1}});
  this->change_by_administrator("node-1", node_event::drain);
  for (int i = 0; i < 2; ++i) {
    if (i == 1) this->signal(rm_signal::shutdown);
    again();
    EXPECT_EQ(this->queue_at("root.leaf")->state, object_state::stopped);
    EXPECT_EQ(this->queue_at("root.other")->state, object_state::active);
    this->add("node-1", {{"vcore", 1}});
    EXPECT_FALSE(this->node_of("node-1")->schedulable);
    EXPECT_THAT(this->change("node-1", node_event::undrain),
                ElementsAre("node_update_rejected on node-1: node node-1 was drained by an administrator, who alone "
                            "gives it back; `tenon ctl undrain node node-1` does"));
    EXPECT_THAT(this->add_app("app-1"), ElementsAre(HasSubstr("no placement rule matched")));
  }
  for (const auto event : {object_event::stop, object_event::remove}) {
    this->turn_all(event);
    const object_state before = this->look().state;
    again();
    EXPECT_EQ(this->look().state, before);
  }
  this->turn_all(object_event::start);
  this->turn("root.leaf", object_event::start);
  this->add("node-1", {{"vcore", 1}});
  this->change_by_administrator("node-1", node_event::undrain);
  for (int i = 0; i < 2; ++i) {
    this->add_app("app-1");
    this->ask("app-1", "a", {{"vcore", 1}});
    EXPECT_THAT(this->placed(), ElementsAre("app-1/a#1 on node-1")) << "what an administrator started is started";
    again();
    this->add("node-1", {{"vcore", 1}});
  }
}

TYPED_TEST(RulesOfPartitions, AQueueThatRulesMakeIsNotMadeWhileItIsStopped) {
  cluster_config c = make_cluster({make_queue("users")});
  c.partitions[0].root.queues[0].parent = true;
  this->start(c);
  this->add_app("app-1", {.queue = "root.users.made", .tags = {}});
  placement_rule_config provided;
  provided.name = "provided";
  provided.create = true;
  c.partitions[0].placement_rules = {provided};
  this->reload(c);
  this->add_app("app-1", {.queue = "root.users.made"});
  this->turn("root.users.made", object_event::stop);
  this->start(c);
  EXPECT_THAT(this->add_app("app-1", {.queue = "root.users.made"}),
              ElementsAre(HasSubstr("no placement rule matched")));
  this->turn("root.users.made", object_event::start);
  EXPECT_THAT(this->add_app("app-1", {.queue = "root.users.made"}), ElementsAre("application_accepted app-1"));
}

TYPED_TEST(RulesOfPartitions, OneThatDrainsAndIsLeftOutLaterHasItsTimeFromThenOn) {
  this->begin();
  this->turn_all(object_event::remove);
  this->wait(60 * second);
  cluster_config other = make_cluster({make_queue("leaf")});
  other.partitions[0].name = "other";
  this->reload(other);
  EXPECT_THAT(this->wait(20 * second - 1), ElementsAre());
  EXPECT_THAT(this->wait(1), ::testing::Contains(HasSubstr("PartitionRemoved")));
}

TYPED_TEST(RulesOfPartitions, WhatIsStoppedAsksAutoscalersForNothing) {
  this->begin();
  this->turn_all(object_event::stop);
  EXPECT_THAT(this->run(inspect{}), ElementsAre(HasSubstr("SKIPPED")));
  this->turn_all(object_event::start);
  EXPECT_THAT(this->run(inspect{}), ElementsAre(HasSubstr("FAILED")));
}

}  // namespace
}  // namespace tenon::testing
