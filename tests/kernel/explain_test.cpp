// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Explain: the numbers are right, and so are the words. What it promises: explain_property_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cluster.hpp"
#include "tenon/kernel/held_explanation.hpp"

namespace tenon::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Explain, AQueueMaxIsNamedWithItsNumbers) {
  cluster c({named_queue("a", {{"vcore", 3000}}, {named_queue("b")})});
  c.add_node("node-1", {{"vcore", 10'000}});
  c.add_app("app", "root.a.b");
  c.ask("app", "one", {{"vcore", 2000}});
  c.ask("app", "two", {{"vcore", 2000}});
  c.settle();
  const explanation e = *c->explain(first_partition, "app", "two");
  ASSERT_EQ(e.obstacles.size(), 1U);
  EXPECT_EQ(e.obstacles[0].queue, "root.a");
  EXPECT_EQ(e.obstacles[0].short_by, 1000);
  EXPECT_THAT(e.text, HasSubstr("The max of queue root.a leaves too little vcore: asked 2, free 1 of 3, "
                                "short 1."));
  EXPECT_THAT(e.text, HasSubstr("It would run next if you raise max vcore of queue root.a from 3 to 4."));
}

TEST(Explain, NodesAreCountedByWhatTheyMiss) {
  cluster c({named_queue("leaf")});
  c.add_node("small-1", {{"vcore", 1000}, {"memory", 10}});
  c.add_node("small-2", {{"vcore", 1000}, {"memory", 10}});
  c.add_node("thin", {{"vcore", 9000}, {"memory", 1}});
  c.add_node("other", {{"vcore", 9000}, {"memory", 99}}, {{"si/zone", "b"}});
  c.add_app("app", "root.leaf");
  c.ask("app", "x", {{"vcore", 2000}, {"memory", 5}}, 0, {{"si/zone", "a"}});
  c.settle();
  const explanation e = *c->explain(first_partition, "app", "x");
  EXPECT_EQ(e.nodes.nodes, 4U);
  EXPECT_EQ(e.nodes.fit, 0U);
  EXPECT_EQ(e.nodes.predicates.size(), 2U) << e.text;  // no attribute on three, another value on one
}

TEST(Explain, ANodeWithTheSumButNotTheDevicesSaysWhich) {
  cluster c({named_queue("leaf")});
  c.add_node("node-1", {{"gpu", 8}}, {{"tenon/devices/gpu", "2x4"}});
  c.add_app("app", "root.leaf");
  for (const char *key : {"a", "b"}) c.ask("app", key, {{"gpu", 3}});
  c.ask("app", "x", {{"gpu", 2}});
  c.settle();
  const explanation e = *c->explain(first_partition, "app", "x");
  EXPECT_THAT(e.nodes.devices, ::testing::ElementsAre(std::pair<std::string, uint64_t>("gpu", 1))) << e.text;
  EXPECT_THAT(e.text, HasSubstr("None of 1 nodes can hold it: 1 too few devices of gpu with room for it."));
  EXPECT_THAT(e.text,
              HasSubstr("It would run next if you free or add 1 device of gpu on node node-1 (devices from 2 to 3)."));
}

TEST(Explain, AnAskThatDoesNotWaitSaysSo) {
  cluster c({named_queue("leaf")});
  c.add_node("node-1", {{"vcore", 10'000}});
  c.add_app("app", "root.leaf");
  c.ask("app", "x", {{"vcore", 1000}});
  EXPECT_TRUE(c->explain(first_partition, "app", "x")->pending);
  EXPECT_THAT(c->explain(first_partition, "app", "x")->text, HasSubstr("Nothing holds it"));
  c.settle();
  EXPECT_FALSE(c->explain(first_partition, "app", "x")->pending);
  EXPECT_THAT(c->explain(first_partition, "app", "nope")->text, HasSubstr("There is no ask nope"));
  EXPECT_FALSE(c->explain(partition_id::none, "app", "x").has_value());
}

// One queue with a max of three, of which one is used; two asks of two each, and one of one that came first.
TEST(Explain, WhatStandsBeforeAnAskCountsInWhatItNeeds) {
  cluster c({named_queue("a", {{"vcore", 3000}})});
  c.add_node("node-1", {{"vcore", 20'000}});
  c.add_app("app", "root.a");
  c.ask("app", "runs", {{"vcore", 2000}});
  c.ask("app", "before", {{"vcore", 2000}});
  c.ask("app", "last", {{"vcore", 2000}});
  c.settle();
  const explanation e = *c->explain(first_partition, "app", "last");
  EXPECT_EQ(e.outcome, change_outcome::runs);
  EXPECT_EQ(e.after, 1U);
  EXPECT_THAT(e.text, HasSubstr("One pending allocation is tried before it.\nIt would run after one decision for "
                                "another if you raise max vcore of queue root.a from 3 to 6."));
}

TEST(Explain, WhatAnOrderLeavesOutIsPromisedNothing) {
  queue_config leaf = named_queue("leaf", {{"vcore", 1000}});
  leaf.properties["application.sort.policy"] = "stateaware";
  cluster c({leaf});
  c.add_node("node-1", {{"vcore", 20'000}});
  for (const char *app : {"first", "second"}) {
    c.add_app(app, "root.leaf");
    c.ask(app, "x", {{"vcore", 1000}});
    c.ask(app, "y", {{"vcore", 1000}}, 0, {{"si/zone", "nowhere"}});  // so that it stays Starting
    c.settle();
  }
  const explanation e = *c->explain(first_partition, "second", "x");
  EXPECT_EQ(e.outcome, change_outcome::waits);
  EXPECT_THAT(e.text, HasSubstr("It would still wait if you raise max vcore of queue root.leaf from 1 to 2. "
                                "Order stateaware of queue root.leaf leaves application second out"));
}

TEST(Explain, AStoppedQueueIsNamedAndSoIsStartingIt) {
  cluster c({named_queue("leaf")});
  c.add_node("node-1", {{"vcore", 1000}});
  c.add_app("app", "root.leaf");
  c.run(change_queue{default_partition, "root.leaf", static_cast<uint8_t>(object_event::stop)});
  c.ask("app", "x", {{"vcore", 1000}});
  c.settle();
  EXPECT_THAT(c->explain(first_partition, "app", "x")->text,
              HasSubstr("Queue root.leaf is Stopped: nothing is scheduled in it.\nNothing is tried before it.\nIt "
                        "would run next if you start queue root.leaf."));
}

TEST(Explain, AStoppedPartitionIsNamedAndSoIsStartingIt) {
  cluster c({named_queue("leaf")});
  c.add_node("node-1", {{"vcore", 1000}});
  c.add_app("app", "root.leaf");
  c.run(change_partition{default_partition, static_cast<uint8_t>(object_event::stop)});
  c.ask("app", "x", {{"vcore", 1000}});
  c.settle();
  const std::string name(default_partition);
  EXPECT_THAT(c->explain(first_partition, "app", "x")->text,
              HasSubstr("Partition " + name +
                        " is Stopped: nothing is scheduled in it.\nNothing is tried before it.\nIt "
                        "would run next if you start partition " +
                        name + "."));
}

TEST(Explain, ALargePartitionIsToldWhatTheAskLacksForItself) {
  cluster c({named_queue("leaf", {{"vcore", 1000}})});
  c.add_app("app", "root.leaf");
  arena own;
  for (uint64_t i = 0; i < most_tried; ++i) c.ask("app", own.text(std::to_string(i)), {{"vcore", 1000}});
  const explanation e = *c->explain(first_partition, "app", "77");
  EXPECT_EQ(e.outcome, change_outcome::not_tried);
  EXPECT_THAT(e.text, HasSubstr("For itself it would need you to add a node"));
  EXPECT_THAT(e.text, HasSubstr("whether others take that first was not tried."));
}

// Guarantees of two queues, all of which the rich one uses, and a claim of the poor one.
class Claims : public ::testing::Test {
 protected:
  void start(const std::map<std::string, std::string> &properties_of_parent) {
    queue_config poor = named_queue("poor"), rich = named_queue("rich");
    poor.guaranteed = {{"vcore", 2000}};
    queue_config parent = named_queue("parent", {}, {poor});
    parent.properties = properties_of_parent;
    c_ = std::make_unique<cluster>(std::vector{parent, rich});
    c_->add_node("node-1", {{"vcore", 4000}});
    c_->add_app("rich", "root.rich");
    for (const char *key : {"a", "b", "c", "d"}) c_->ask("rich", key, {{"vcore", 1000}});
    c_->settle();
    c_->add_app("poor", "root.parent.poor");
    put_ask claim;
    claim.partition = default_partition;
    claim.application = "poor";
    claim.key = "claim";
    const named_amount one[]{{"vcore", 1000}};
    claim.resources = one;
    claim.allow_preempt_other = true;
    c_->run(claim);
    c_->settle();
  }
  [[nodiscard]] std::string why() { return (*c_)->explain(first_partition, "poor", "claim")->text; }

  std::unique_ptr<cluster> c_;
};

TEST_F(Claims, ThatWillFindSomebodySayWhenAndWhere) {
  start({});
  EXPECT_THAT(why(),
              HasSubstr("It tries to preempt others at 1970-01-01T00:17:10.000Z; as things are, 1 on node node-1 "
                        "would give way."));
  c_->advance(30'000);
  c_->run(step{});
  EXPECT_THAT(c_->decisions().back(), HasSubstr("PREEMPTED_BY_SCHEDULER"));
}

TEST_F(Claims, BehindAFenceArePromisedNoAttempt) {
  start({{"preemption.policy", "fence"}});
  EXPECT_THAT(why(),
              HasSubstr("Preemption is no help: the fence of queue root.parent keeps it from the allocations that "
                        "could give way."));
  EXPECT_THAT(why(), Not(HasSubstr("tries to preempt")));
  c_->advance(60'000);
  const size_t before = c_->decisions().size();
  c_->run(step{});
  for (size_t i = before; i < c_->decisions().size(); ++i) {
    EXPECT_THAT(c_->decisions()[i], Not(HasSubstr("PREEMPTED")));
  }
  EXPECT_THAT(why(), Not(HasSubstr("tries to preempt")));
}

// A resource manager that checks placements and refuses what fits.
TEST(Explain, RefusalsOfNodesAreToldByReasonWithTheirNumber) {
  builtin_policy_source policies;
  kernel k(policies);
  arena own;
  cluster_config config;
  config.partitions.emplace_back();
  config.partitions[0].root = named_queue("root", {}, {named_queue("leaf")});
  config.partitions[0].root.submit_acl = "*";
  config.partitions[0].tuning.reservation_enabled = false;
  register_rm registered{"rm", "1", "default", &config, 1'000};
  k.apply(1, registered);
  for (const char *id : {"n1", "n2", "n3"}) {
    tenon::add_node n;
    n.partition = default_partition;
    n.node = id;
    n.capacity = own.resources({{"vcore", 1000}});
    k.apply(1, n);
  }
  add_application app;
  app.partition = default_partition;
  app.application = "app";
  app.queue = "root.leaf";
  app.user = "ann";
  k.apply(1, app);
  put_ask ask;
  ask.partition = default_partition;
  ask.application = "app";
  ask.key = "x";
  ask.resources = own.resources({{"vcore", 1000}});
  k.apply(1, ask);
  for (const char *reason : {"taint", "volume", "taint"}) {
    uint64_t number = 0;
    k.apply(1, step{});
    k.drain([&](const decision_view &d) { number = d.allocation_sequence; });
    k.apply(1, check_answer{default_partition, number, false, reason});
  }
  k.apply(1, step{});
  const explanation e = *k.explain(first_partition, "app", "x");
  EXPECT_THAT(e.nodes.refused, ::testing::ElementsAre(std::pair<std::string, uint64_t>("taint", 2),
                                                      std::pair<std::string, uint64_t>("volume", 1)));
  EXPECT_THAT(e.text, HasSubstr("Resource manager rm refuses every node that fits (2 taint, 1 volume)."));
  // A reason of several lines stays within its sentence.
  tenon::add_node more;
  more.partition = default_partition;
  more.node = "n4";
  more.capacity = own.resources({{"vcore", 1000}});
  k.apply(1, more);
  const auto lines = [](const std::string &text) { return std::count(text.begin(), text.end(), '\n'); };
  const auto before = lines(e.text);
  uint64_t number = 0;
  k.apply(1, step{});
  k.drain([&](const decision_view &d) { number = d.allocation_sequence; });
  k.apply(1, check_answer{default_partition, number, false, "no\r\nroom\nhere"});
  k.apply(1, step{});
  const explanation after = *k.explain(first_partition, "app", "x");
  EXPECT_EQ(lines(after.text), before) << after.text;
  EXPECT_THAT(after.text, HasSubstr("no  room here"));
}

TEST(Explain, WhereTheRmIsHeldNothingElseIsPromised) {
  cluster c({named_queue("a")});
  c.add_node("node-1", {{"vcore", 10'000}});
  c.add_app("app", "root.a");
  c.ask("app", "one", {{"vcore", 2000}});
  c.ask("app", "large", {{"vcore", 20'000}});
  for (const char *key : {"one", "large"}) {
    explanation e = *c->explain(first_partition, "app", key);
    hold_up(e, "nothing is placed for RM 'rm' until tomorrow\n");
    EXPECT_TRUE(e.text.starts_with("nothing is placed for RM 'rm' until tomorrow\nAsk ")) << e.text;
    for (const char *promise : {"It is placed", "It would run", "Nothing holds it"})
      EXPECT_THAT(e.text, Not(HasSubstr(promise)));
    EXPECT_EQ(e.outcome, change_outcome::waits);
    explanation same = *c->explain(first_partition, "app", key);
    const std::string text = same.text;
    hold_up(same, "");
    EXPECT_EQ(same.text, text);
  }
}

}  // namespace
}  // namespace tenon::testing
