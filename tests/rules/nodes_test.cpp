// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of nodes: intake, changes, and which of them an ask gets.
#include "scene.hpp"

namespace tenon::testing {
namespace {

using ::testing::Contains;

template <class T>
class RulesOfNodes : public scene<T> {
 protected:
  void begin(const std::string &node_sort = "fair", const std::map<std::string, double> &weights = {}) {
    cluster_config c = make_cluster({make_queue("leaf")});
    c.partitions[0].node_sort = {node_sort, weights};
    this->start(c);
    this->add_app("app-1");
  }
};
TYPED_TEST_SUITE(RulesOfNodes, schedulers);

TYPED_TEST(RulesOfNodes, TheRootHoldsWhatTheNodesHave) {
  this->begin();
  EXPECT_FALSE(this->queue_at("root")->max);
  EXPECT_THAT(this->add("node-1", {{"gpu", 0}, {"vcore", 5}}), ElementsAre("node_accepted on node-1"));
  this->add("node-2", {{"vcore", 5}}, {.schedulable = false});
  EXPECT_EQ(this->queue_at("root")->max, (amount_map{{"vcore", 10}}));
  this->set_capacity("node-1", {{"vcore", 7}});
  EXPECT_EQ(this->queue_at("root")->max, (amount_map{{"vcore", 12}}));
  this->change("node-2", node_event::decommission);
  EXPECT_EQ(this->queue_at("root")->max, (amount_map{{"vcore", 7}}));
}

TYPED_TEST(RulesOfNodes, OneThatHasLessThanRunsThereTakesNothingFromTheOthers) {
  this->begin();
  this->add("node-1", {{"vcore", 5}});
  this->ask("app-1", "first", {{"vcore", 5}});
  this->schedule(9);
  this->add("node-2", {{"vcore", 5}});
  this->set_capacity("node-1", {{"vcore", 0}});
  this->ask("app-1", "second", {{"vcore", 5}});
  EXPECT_THAT(this->schedule(9), Contains("allocated app-1/second#2 on node-2"));
}

TYPED_TEST(RulesOfNodes, WhatCannotBeIsRejected) {
  this->begin();
  this->add("node-1", {{"vcore", 5}});
  const std::string prefix = ": failure while adding new node, node rejected with error: ";
  EXPECT_THAT(
      this->add("node-1", {{"vcore", 5}}),
      ElementsAre("node_rejected on node-1" + prefix +
                  "partition [rm]default has an existing node node-1, node name must be unique; use another name, or "
                  "change the node by action UPDATE"));
  EXPECT_THAT(this->add("node-2", {{"vcore", -5}}),
              ElementsAre("node_rejected on node-2" + prefix + "resource vcore is negative, -5; send 0 or more"));
  EXPECT_THAT(this->change("node-1", node_event::undrain),
              ElementsAre("node_update_rejected on node-1: node node-1 is not draining; there is nothing to do, it "
                          "takes allocations"));
  EXPECT_THAT(this->change("node-3", node_event::drain),
              ElementsAre("node_update_rejected on node-3: failed to find node node-3; did you mean node-1?"));
}

TYPED_TEST(RulesOfNodes, ANodeComesWithItsAllocationsOrNotAtAll) {
  this->begin();
  EXPECT_THAT(
      this->add(
          "node-1", {{"vcore", 5}},
          {.existing = {this->existing("app-1", "a", {{"vcore", 1}}), this->existing("app-9", "b", {{"vcore", 1}})}}),
      ElementsAre("node_rejected on node-1: failure while adding new node, node rejected with error: failed to restore "
                  "allocation b: failed to find application app-9; submit it before it asks for anything, or correct "
                  "applicationID: it was not accepted, or it has ended"));
  EXPECT_EQ(this->look().nodes.size(), 0U);
  EXPECT_EQ(this->app("app-1")->state, application_state::new_);
  EXPECT_THAT(
      this->add("node-1", {{"vcore", 5}},
                {.existing = {this->existing("app-1", "a", {{"vcore", 1}}),
                              this->existing("app-1", "a", {{"vcore", 1}}), this->foreign("pod", {{"vcore", 2}})}}),
      ElementsAre("node_accepted on node-1", "application_state app-1 Accepted",
                  "allocated app-1/a#1 on node-1 existing", "application_state app-1 Starting",
                  "allocated app-1/a#2 on node-1 existing", "application_state app-1 Running"));
  EXPECT_EQ(this->node_of("node-1")->available, (amount_map{{"vcore", 1}}));
}

TYPED_TEST(RulesOfNodes, ADrainingNodeKeepsWhatRunsAndTakesNothing) {
  this->begin();
  this->add("node-1", {{"vcore", 5}});
  this->ask("app-1", "a", {{"vcore", 1}}, {.count = 3});
  this->schedule();
  EXPECT_THAT(this->change("node-1", node_event::drain), IsEmpty());
  EXPECT_THAT(this->change("node-1", node_event::drain), IsEmpty());
  EXPECT_THAT(this->schedule(), IsEmpty());
  EXPECT_EQ(this->node_of("node-1")->allocations, (lines{"app-1/a#1"}));
  this->change("node-1", node_event::undrain);
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#2 on node-1", "app-1/a#3 on node-1"));
}

TYPED_TEST(RulesOfNodes, DecommissioningReleasesFirstAndCompletesThen) {
  this->begin();
  this->add("node-1", {{"vcore", 5}});
  this->add_app("app-2");
  this->ask("app-2", "a", {{"vcore", 1}});
  this->schedule();
  this->ask("app-1", "a", {{"vcore", 1}});
  this->schedule();
  EXPECT_THAT(this->change("node-1", node_event::decommission),
              ElementsAre("released app-2/a#1 on node-1 STOPPED_BY_RM: Node node-1 Removed",
                          "released app-1/a#2 on node-1 STOPPED_BY_RM: Node node-1 Removed",
                          "application_state app-1 Completing", "application_state app-2 Completing"));
  EXPECT_EQ(this->look().nodes.size(), 0U);
}

TYPED_TEST(RulesOfNodes, ShrinkingEvictsNothing) {
  this->begin();
  this->add("node-1", {{"vcore", 5}});
  this->ask("app-1", "a", {{"vcore", 3}}, {.count = 2});
  this->schedule();
  EXPECT_THAT(this->set_capacity("node-1", {{"vcore", 2}}), IsEmpty());
  EXPECT_EQ(this->node_of("node-1")->available, (amount_map{{"vcore", -1}}));
  EXPECT_THAT(this->schedule(), IsEmpty());
}

TYPED_TEST(RulesOfNodes, FairTakesTheEmptiestAndTiesGoById) {
  this->begin();
  this->add("node-b", {{"vcore", 4}});
  this->add("node-a", {{"vcore", 4}});
  this->add("node-c", {{"vcore", 10}});
  this->ask("app-1", "a", {{"vcore", 2}}, {.count = 5});
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#1 on node-a", "app-1/a#2 on node-b", "app-1/a#3 on node-c",
                                          "app-1/a#4 on node-c", "app-1/a#5 on node-c"));
}

TYPED_TEST(RulesOfNodes, BinpackingTakesTheFullestThatFits) {
  this->begin("binpacking");
  this->add("node-a", {{"vcore", 10}});
  this->add("node-b", {{"vcore", 10}}, {.occupied = {{"vcore", 7}}});
  this->ask("app-1", "a", {{"vcore", 2}}, {.count = 3});
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#1 on node-b", "app-1/a#2 on node-a", "app-1/a#3 on node-a"));
}

TYPED_TEST(RulesOfNodes, WeightsSayWhichTypesCount) {
  this->begin("fair", {{"memory", 4}, {"vcore", 1}});
  this->add("node-a", {{"memory", 100}, {"vcore", 10}}, {.occupied = {{"memory", 50}}});
  this->add("node-b", {{"memory", 100}, {"vcore", 10}}, {.occupied = {{"vcore", 9}}});
  this->ask("app-1", "a", {{"vcore", 1}});
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#1 on node-b"));
}

TYPED_TEST(RulesOfNodes, ARequiredNodeIsTheOnlyOneEvenWhenDraining) {
  this->begin();
  this->add("node-1", {{"vcore", 1}});
  this->add("node-2", {{"vcore", 1}}, {.schedulable = false});
  this->ask("app-1", "a", {{"vcore", 1}}, {.count = 2, .required_node = "node-2"});
  this->ask("app-1", "b", {{"vcore", 1}}, {.required_node = "node-3"});
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#1 on node-2"));
}

TYPED_TEST(RulesOfNodes, AttributesChooseNodes) {
  this->begin();
  this->add("node-1", {{"vcore", 1}}, {.attributes = {{"si/zone", "a"}}});
  this->add("node-2", {{"vcore", 1}}, {.attributes = {{"si/zone", "b"}}});
  this->add("node-3", {{"vcore", 1}});
  this->ask("app-1", "a", {{"vcore", 1}}, {.tags = {{"si/zone", "b"}, {"si/container-image", "x"}}});
  this->ask("app-1", "b", {{"vcore", 1}}, {.count = 3, .tags = {{"si/zone", "c|b|a"}}});
  this->ask("app-1", "c", {{"vcore", 1}}, {.tags = {{"zone", "b"}}});
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#1 on node-2", "app-1/b#2 on node-1", "app-1/c#3 on node-3"));
}

}  // namespace
}  // namespace tenon::testing
