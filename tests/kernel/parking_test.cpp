// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What is parked is not looked at before what it waits for changes, and is looked at then.
#include <gtest/gtest.h>

#include "cluster.hpp"

namespace tenon::testing {
namespace {

constexpr int parked = 10'000;

// Steps a thousand times and gives how many asks were looked at.
uint64_t looks_in_a_thousand_steps(cluster &c) {
  const uint64_t before = c->counters().asks_examined;
  for (int i = 0; i < 1'000; ++i) c.run(step{{}, 1, {}});
  return c->counters().asks_examined - before;
}

TEST(Parking, TenThousandAsksThatFitNoNodeCostNothing) {
  cluster c({named_queue("leaf"), named_queue("other")});
  c.add_node("node-1", {{"vcore", 1000}, {"memory", 1'000'000}});
  c.add_app("app", "root.leaf");
  for (int i = 0; i < parked; ++i) c.ask("app", "big-" + std::to_string(i), {{"vcore", 900 + i % 100}, {"memory", 2}});
  c.ask("app", "first", {{"vcore", 1000}}, 1);
  c.settle();
  ASSERT_EQ(c.placed("app", "first"), 1U);
  EXPECT_EQ(looks_in_a_thousand_steps(c), 0U);

  c.add_app("light", "root.other");
  for (int i = 0; i < 1'000; ++i) c.ask("light", "memory-" + std::to_string(i), {{"memory", 10}});
  EXPECT_EQ(looks_in_a_thousand_steps(c), 1'000U) << "only those that run";

  c.give_back("app", "first");
  EXPECT_GE(looks_in_a_thousand_steps(c), 1U) << "what they wait for changed";
  EXPECT_EQ(c.placed("app", "big-0"), 1U);
}

TEST(Parking, TenThousandAsksOverAQueueMaxCostNothing) {
  cluster c({named_queue("leaf", {{"vcore", 1000}})});
  c.add_node("node-1", {{"vcore", 100'000}});
  for (int a = 0; a < 100; ++a) {
    const std::string app = "app-" + std::to_string(a);
    c.add_app(app, "root.leaf");
    for (int i = 0; i < parked / 100; ++i) c.ask(app, "ask-" + std::to_string(i), {{"vcore", 500 + i}});
  }
  c.settle();
  EXPECT_EQ(looks_in_a_thousand_steps(c), 0U);
  c.give_back("app-0", "ask-0");
  EXPECT_GE(looks_in_a_thousand_steps(c), 1U);
}

TEST(Parking, TenThousandAsksThatFindNoNodeToReserveCostNothing) {
  cluster c({named_queue("leaf")});
  for (int n = 0; n < 10; ++n) c.add_node("node-" + std::to_string(n), {{"vcore", 1000}});
  c.add_app("app", "root.leaf");
  for (int n = 0; n < 10; ++n) c.ask("app", "first-" + std::to_string(n), {{"vcore", 600}});
  for (int i = 0; i < parked; ++i) c.ask("app", "ask-" + std::to_string(i), {{"vcore", 900}});
  c.settle();
  EXPECT_EQ(looks_in_a_thousand_steps(c), 0U);
  c.advance(10'000);
  c.settle();
  EXPECT_EQ((*c).snapshot().partitions[0].applications[0].reservations.size(), 1U) << "10 % of the nodes";
  EXPECT_EQ(looks_in_a_thousand_steps(c), 0U);
  c.give_back("app", "first-0");
  EXPECT_LE(looks_in_a_thousand_steps(c), 6U) << "the one with that node, and the next one that reserves it";
  EXPECT_EQ(c.placed("app", "ask-0"), 1U);
}

TEST(Parking, ReleaseWakesThoseAloneWhoFitIntoWhatIsFreeThen) {
  constexpr int classes = 100;
  cluster c({named_queue("leaf"), named_queue("other")});
  c.add_node("node", {{"vcore", classes}, {"memory", 1'000}});
  c.add_node("without-memory", {{"vcore", 1'000'000}});  // nobody waits for headroom
  c.add_app("app", "root.leaf");
  for (int i = 0; i < classes; ++i) c.ask("app", "unit-" + std::to_string(i), {{"vcore", 1}, {"memory", 1}});
  c.settle();
  c.add_app("waits", "root.other");
  for (int i = 2; i < classes; ++i) c.ask("waits", "needs-" + std::to_string(i), {{"vcore", i}, {"memory", 1}});
  c.settle();
  const auto looks_when_it_ends = [&](const std::string &key) {
    const uint64_t before = c->counters().asks_examined;
    c.give_back("app", key);
    c.settle();
    return c->counters().asks_examined - before;
  };
  EXPECT_EQ(looks_when_it_ends("unit-0"), 0U) << "one unit is enough for nobody";
  EXPECT_EQ(looks_when_it_ends("unit-1"), 1U) << "two are for one of them";
  EXPECT_EQ(c.placed("waits", "needs-2"), 1U);
  for (int i = 2; i < classes; ++i) c.give_back("app", "unit-" + std::to_string(i));
  c.settle();
  for (int i = 3; i < 13; ++i) EXPECT_EQ(c.placed("waits", "needs-" + std::to_string(i)), 1U) << i;
}

TEST(Parking, AsksOverALimitAndApplicationsOverMaxapplicationsCostNothing) {
  queue_config crowded = named_queue("crowded"), limited = named_queue("limited");
  crowded.max_applications = 1;
  limit_config limit;
  limit.users = {"bob"};
  limit.max_resources = {{"vcore", 1000}};
  limited.limits = {limit};
  cluster c({crowded, limited});
  c.add_node("node-1", {{"vcore", 1'000'000}});
  for (int a = 0; a < parked; ++a) {
    const std::string app = "app-" + std::to_string(a);
    c.add_app(app, "root.crowded");
    c.ask(app, "ask", {{"vcore", 1}});
  }
  c.add_app("bobs", "root.limited", "bob");
  for (int i = 0; i < 100; ++i) c.ask("bobs", "ask-" + std::to_string(i), {{"vcore", 600}});
  c.settle();
  EXPECT_EQ(looks_in_a_thousand_steps(c), 0U);
  c.give_back("bobs", "ask-0");
  EXPECT_EQ(looks_in_a_thousand_steps(c), 2U) << "one that runs and the next that does not";
}

// Nodes that have the sum but no device are passed over by blocks, as those are that have not even the sum.
TEST(Parking, NodesWithoutTheDevicesAreNotLookedAtOneByOne) {
  constexpr int nodes = 2'000;
  cluster c({named_queue("leaf")});
  c.add_app("app", "root.leaf");
  for (int n = 0; n < nodes; ++n)
    c.add_node("node-" + std::to_string(n), {{"gpu", 16}}, {{"tenon/devices/gpu", "4x4"}});
  for (int i = 0; i < 4 * nodes; ++i) c.ask("app", "part-" + std::to_string(i), {{"gpu", 3}});
  c.settle();
  c.add_node("whole", {{"gpu", 4'000}}, {{"tenon/devices/gpu", "64x4"}});
  c.ask("app", "first", {{"gpu", 4}, {"x", 0}});
  c.settle();
  ASSERT_EQ(c.placed("app", "first"), 1U);
  const uint64_t before = c->counters().nodes_examined;
  for (int i = 2; i < 62; ++i) c.ask("app", "ask-" + std::to_string(i), {{"gpu", 4}}, i);
  for (int i = 0; i < 30; ++i) {  // a class each
    c.ask("app", "huge-" + std::to_string(i), {{"gpu", 4}, {"vcore", 1 + i}});
  }
  c.settle();
  EXPECT_EQ(c.placed("app", "ask-61"), 1U);
  EXPECT_LT(c->counters().nodes_examined - before, 60U * 256U);
}

}  // namespace
}  // namespace tenon::testing
