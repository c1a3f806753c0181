// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of resource managers and configurations.
#include "scene.hpp"

namespace tenon::testing {
namespace {

template <class T>
using RulesOfConfigurations = scene<T>;
TYPED_TEST_SUITE(RulesOfConfigurations, schedulers);

TYPED_TEST(RulesOfConfigurations, RegisteringAgainStartsAnew) {
  EXPECT_THAT(this->start({make_queue("leaf")}), ElementsAre("rm_registered"));
  this->add("node-1", {{"vcore", 1}});
  this->add_app("app-1");
  EXPECT_THAT(this->start({make_queue("other")}), ElementsAre("rm_registered"));
  EXPECT_EQ(this->look().nodes.size(), 0U);
  EXPECT_FALSE(this->queue_at("root.leaf"));
  EXPECT_THAT(this->wait(3'600 * second), IsEmpty());
}

TYPED_TEST(RulesOfConfigurations, ARefusedRegistrationLeavesWhatWas) {
  this->start({make_queue("leaf")});
  cluster_config bad = make_cluster({make_queue("other")});
  bad.partitions[0].placement_rules.emplace_back().name = "recovery";
  EXPECT_THAT(this->start(bad),
              ElementsAre("rm_rejected: registration of RM failed: recovery rule cannot be part of the "
                          "config, failing placement rule config"));
  EXPECT_TRUE(this->queue_at("root.leaf"));
}

TYPED_TEST(RulesOfConfigurations, AStrangerIsRefused) {
  EXPECT_THAT(
      this->reload(make_cluster({})),
      ElementsAre(
          "configuration_rejected: update of configuration failed: RmID=\"rm\" not registered; register it first"));
  EXPECT_THAT(this->signal(rm_signal::lost), ElementsAre("rm_rejected: RmID=\"rm\" not registered; register it first"));
  EXPECT_THAT(
      this->add_app("app-1"),
      ElementsAre("application_rejected app-1: Failed to add application app-1 to partition [rm]default, partition "
                  "doesn't exist; this resource manager has no partition: register it first"));
  EXPECT_THAT(
      this->add("node-1", {}),
      ElementsAre("node_rejected on node-1: failure while adding new node, node rejected with error: failed to "
                  "find partition [rm]default for new node node-1, which attribute si/node-partition names; this "
                  "resource manager has no partition: register it first"));
}

TYPED_TEST(RulesOfConfigurations, APausedResourceManagerIsNotScheduled) {
  this->start({make_queue("leaf")});
  this->add("node-1", {{"vcore", 1}});
  this->add_app("app-1");
  this->ask("app-1", "a", {{"vcore", 1}});
  this->signal(rm_signal::lost);
  EXPECT_THAT(this->schedule(), IsEmpty());
  EXPECT_THAT(this->signal(rm_signal::lost), ElementsAre("rm_rejected: event lost is not possible in state Paused"));
  this->signal(rm_signal::back);
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#1 on node-1"));
  this->signal(rm_signal::shutdown);
  EXPECT_EQ(this->look().queues.size(), 0U);
}

TYPED_TEST(RulesOfConfigurations, AReloadChangesAddsAndDrains) {
  queue_config base = make_queue("base");
  base.max = {{"vcore", 1}};
  this->start({base, make_queue("old", {make_queue("leaf")})});
  this->add("node-1", {{"vcore", 9}});
  this->add_app("app-1", {.queue = "root.old.leaf"});
  base.max = {{"vcore", 2}};
  base.properties["something"] = "new";
  cluster_config c = make_cluster({base, make_queue("fresh")});
  c.partitions.push_back(c.partitions[0]);
  c.partitions[1].name = "gpu";
  EXPECT_THAT(this->reload(c), ElementsAre("configured"));
  EXPECT_EQ(this->queue_at("root")->max, (amount_map{{"vcore", 9}}));
  EXPECT_EQ(this->queue_at("root.base")->max, (amount_map{{"vcore", 2}}));
  EXPECT_EQ(this->queue_at("root.base")->properties.at("something"), "new");
  EXPECT_TRUE(this->queue_at("root.fresh"));
  EXPECT_EQ(this->queue_at("root.old.leaf")->state, object_state::draining);
  EXPECT_THAT(this->add_app("app-2", {.queue = "root.old.leaf"}), ElementsAre(HasSubstr("application_rejected")));
  this->ask("app-1", "a", {{"vcore", 1}});
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#1 on node-1")) << "a draining queue goes on with what it has";
  this->remove_app("app-1");
  this->wait(10 * second);
  EXPECT_FALSE(this->queue_at("root.old"));
  this->partition_ = "[rm]gpu";
  EXPECT_TRUE(this->queue_at("root.fresh"));
}

TYPED_TEST(RulesOfConfigurations, AQueueThatIsNamedAgainIsActiveAgain) {
  this->start({make_queue("leaf")});
  this->reload(make_cluster({make_queue("other")}));
  this->reload(make_cluster({make_queue("leaf"), make_queue("other")}));
  EXPECT_EQ(this->queue_at("root.leaf")->state, object_state::active);
  this->wait(20 * second);
  EXPECT_TRUE(this->queue_at("root.leaf"));
}

TYPED_TEST(RulesOfConfigurations, WhatIsBelowAQueueThatBecomesALeafDrains) {
  cluster_config c = make_cluster({make_queue("parent", {make_queue("old")})});
  auto &rule = c.partitions[0].placement_rules.emplace_back();
  rule.name = "provided";
  rule.create = true;
  this->start(c);
  this->add_app("app-1", {.queue = "root.parent.dynamic"});
  this->remove_app("app-1");
  c.partitions[0].root.queues = {make_queue("parent")};
  EXPECT_THAT(this->reload(c), ElementsAre("configured"));
  EXPECT_EQ(this->queue_at("root.parent.old")->state, object_state::draining);
  EXPECT_EQ(this->queue_at("root.parent.dynamic")->state, object_state::draining);
  EXPECT_THAT(this->add_app("app-2", {.queue = "root.parent.dynamic"}), ElementsAre(HasSubstr("application_rejected")))
      << "it would never be scheduled";
  this->wait(10 * second);
  EXPECT_FALSE(this->queue_at("root.parent.dynamic"));
}

TYPED_TEST(RulesOfConfigurations, ALeafWithApplicationsStaysALeaf) {
  this->start({make_queue("leaf"), make_queue("parent", {make_queue("leaf")})});
  this->add_app("app-1");
  this->add_app("app-2", {.queue = "root.parent.leaf"});
  EXPECT_THAT(
      this->reload(make_cluster({make_queue("leaf", {make_queue("below")})})),
      ElementsAre("configuration_rejected: update of configuration failed: queue root.leaf has applications and "
                  "cannot become a parent; move them to another queue first, or leave the queue a leaf"));
  EXPECT_THAT(
      this->reload(make_cluster({make_queue("parent")})),
      ElementsAre("configuration_rejected: update of configuration failed: queue root.parent has applications "
                  "below it and cannot become a leaf; move them to another queue first, or leave the queue a parent"));
}

TYPED_TEST(RulesOfConfigurations, AMissingPartitionDrainsAndWhatIsLeftFails) {
  this->start({make_queue("leaf")});
  this->add("node-1", {{"vcore", 1}});
  this->add_app("app-1");
  this->ask("app-1", "a", {{"vcore", 1}}, {.count = 2});
  cluster_config other = make_cluster({make_queue("leaf")});
  other.partitions[0].name = "other";
  this->reload(other);
  EXPECT_EQ(this->look().state, object_state::draining);
  EXPECT_THAT(this->add("node-2", {}),
              ElementsAre(HasSubstr("partition [rm]default is stopped cannot add a new node node-2")));
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#1 on node-1"));
  EXPECT_THAT(
      this->wait(20 * second),
      ElementsAre("application_state app-1 Failing", "released app-1/a#1 on node-1 STOPPED_BY_RM: PartitionRemoved",
                  "ask_released app-1/a STOPPED_BY_RM: PartitionRemoved", "application_state app-1 Failed"));
  EXPECT_EQ(this->look().queues.size(), 0U);
}

TYPED_TEST(RulesOfConfigurations, AnEmptyDrainingPartitionGoesWithTheCleaner) {
  this->start({make_queue("leaf")});
  this->wait(5 * second);
  this->reload({});
  this->wait(5 * second - 1);
  EXPECT_EQ(this->look().queues.size(), 2U);
  this->wait(1);
  EXPECT_EQ(this->look().queues.size(), 0U);
}

TYPED_TEST(RulesOfConfigurations, PartitionsTakeTurns) {
  cluster_config c = make_cluster({make_queue("leaf")});
  c.partitions.push_back(c.partitions[0]);
  c.partitions[1].name = "gpu";
  this->start(c);
  for (const std::string_view partition : {"[rm]gpu", "[rm]default"}) {
    this->partition_ = partition;
    this->add("node-1", {{"vcore", 9}});
    this->add_app("app-1");
    this->ask("app-1", "a", {{"vcore", 1}}, {.count = 2});
  }
  lines order;
  this->it_->drain([](const decision_view &) {});
  this->it_->apply(this->now_ms_, step{{}, 1, {}});
  this->it_->drain([&](const decision_view &d) {
    if (d.kind() == decision_kind::allocated) order.emplace_back(d.partition);
  });
  EXPECT_THAT(order, ElementsAre("[rm]default", "[rm]gpu"));
  this->schedule(5);
  EXPECT_EQ(this->made_, 2U);
}

TYPED_TEST(RulesOfConfigurations, TimeDoesNotGoBack) {
  this->start({make_queue("leaf")});
  this->now_ms_ -= 500;
  this->add_app("app-1");
  EXPECT_EQ(this->app("app-1")->submitted_ms, start_ms);
  EXPECT_EQ(this->it_->now_ms(), start_ms);
}

}  // namespace
}  // namespace tenon::testing
