// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Handles of partitions: one for each that was ever made, none for what is not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster.hpp"
#include "tenon/kernel/saved_state.hpp"

namespace tenon::testing {
namespace {

class PartitionHandles : public ::testing::Test {
 protected:
  void register_anew() {
    c_.run(register_rm{.rm = "rm", .version = "1", .policy_group = "default", .config = &c_.config()});
  }
  [[nodiscard]] partition_id handle() { return c_->find_partition(default_partition); }

  cluster c_{{named_queue("leaf")}};
};

TEST_F(PartitionHandles, NamesAreLookedUp) {
  EXPECT_EQ(handle(), first_partition);
  EXPECT_EQ(c_->find_partition("[rm]other"), partition_id::none);
  EXPECT_EQ(c_->find_partition("default"), partition_id::none);
  const auto all = c_->partitions();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].id, first_partition);
  EXPECT_EQ(all[0].name, default_partition);
}

TEST_F(PartitionHandles, OfOneThatIsGoneMeansNoLaterOne) {
  const partition_id before = handle();
  register_anew();
  EXPECT_NE(handle(), partition_id::none);
  EXPECT_NE(handle(), before);
  c_.add_node("node", {{"memory", 10}});
  c_.add_app("app", "root.leaf");
  c_.ask("app", "ask", {{"memory", 1}});
  EXPECT_TRUE(c_->has_work(handle()));
  EXPECT_FALSE(c_->has_work(before));
  EXPECT_EQ(c_->state_of_partition(before), std::nullopt);
  EXPECT_FALSE(c_->explain(before, "app", "ask").has_value());
  EXPECT_TRUE(c_->snapshot(snapshot_part::all, before).partitions.empty());
  EXPECT_EQ(c_->snapshot(snapshot_part::all, handle()).partitions.size(), 1U);
}

TEST_F(PartitionHandles, ACopyHasTheSameAndGivesNoneOfThemAgain) {
  register_anew();
  const partition_id before = handle();
  const std::unique_ptr<kernel> copy = c_->copy();
  EXPECT_EQ(copy->find_partition(default_partition), before);
  (void)copy->apply(copy->now_ms(), register_rm{"rm", "1", "default", &c_.config()});
  EXPECT_NE(copy->find_partition(default_partition), before);
  EXPECT_EQ(handle(), before);
}

// Else each name that some RM ever had would stay for ever.
TEST_F(PartitionHandles, NothingIsKeptOfAnRmThatIsGoneButWhatAdministratorsStopped) {
  for (int i = 0; i < 100; ++i) {
    const std::string rm = "rm-" + std::to_string(i);
    c_.run(register_rm{.rm = rm, .version = "1", .policy_group = "default", .config = &c_.config()});
    if (i == 7) c_.run(change_partition{"[rm-7]default", static_cast<uint8_t>(object_event::stop)});
    if (i % 2 == 0) c_.run(signal_rm{rm, rm_signal::lost});
    c_.run(signal_rm{rm, i % 2 == 0 ? rm_signal::timeout : rm_signal::shutdown});
  }
  std::vector<std::string> known;
  const auto saved = c_->save();
  for (const saved_rm &one : saved->rms) known.push_back(one.id);
  EXPECT_THAT(known, ::testing::ElementsAre("rm", "rm-7"));
  c_.run(signal_rm{"rm-7", rm_signal::back});
  c_.run(signal_rm{"rm-8", rm_signal::back});
  EXPECT_EQ(c_->find_partition("[rm-7]default"), partition_id::none);
  c_.run(register_rm{.rm = "rm-7", .version = "1", .policy_group = "default", .config = &c_.config()});
  EXPECT_EQ(c_->state_of_partition(c_->find_partition("[rm-7]default")), object_state::stopped);
}

TEST_F(PartitionHandles, DecisionsAndChecksHaveThem) {
  std::vector<partition_id> asked;
  c_->set_rm_check([&](partition_id where, auto, auto, auto, bool) {
    asked.push_back(where);
    return true;
  });
  c_.add_node("node", {{"memory", 10}});
  c_.add_app("app", "root.leaf");
  c_.ask("app", "ask", {{"memory", 1}});
  c_.settle();
  EXPECT_THAT(asked, ::testing::ElementsAre(first_partition));
  add_application refused;
  refused.application = "more";
  for (const std::string_view partition : {default_partition, std::string_view("[rm]other")}) {
    refused.partition = partition;
    (void)c_->apply(c_->now_ms(), refused);
  }
  std::vector<partition_id> told;
  c_->drain([&](const decision_view &d) { told.push_back(d.where); });
  EXPECT_THAT(told, ::testing::ElementsAre(first_partition, partition_id::none));
}

// Adds a node and two asks to the partition, without a step.
void bring_work(cluster &c, std::string_view partition) {
  const std::vector<named_amount> capacity{{"memory", 10}}, need{{"memory", 1}};
  add_node node;
  node.partition = partition;
  node.node = "node";
  node.capacity = capacity;
  c.run(node);
  add_application app;
  app.partition = partition;
  app.application = "app";
  app.queue = "root.leaf";
  app.user = "testuser";
  c.run(app);
  put_ask ask;
  ask.partition = partition;
  ask.application = "app";
  ask.key = "ask";
  ask.resources = need;
  ask.max_allocations = 2;
  c.run(ask);
}

TEST_F(PartitionHandles, AStepGoesRoundInTheOrderInWhichPartitionsWereMade) {
  c_.run(register_rm{.rm = "rm-2", .version = "1", .policy_group = "default", .config = &c_.config()});
  c_.settle();
  EXPECT_FALSE(c_->has_work());
  bring_work(c_, "[rm-2]default");
  bring_work(c_, default_partition);
  EXPECT_TRUE(c_->has_work());
  EXPECT_EQ(c_->apply(c_->now_ms(), step{{}, 1'000}), 4U);
  std::vector<std::string> placed;
  c_->drain([&](const decision_view &d) {
    if (d.is(decision_kind::allocated)) placed.emplace_back(d.partition);
  });
  EXPECT_THAT(placed, ::testing::ElementsAre(default_partition, "[rm-2]default", default_partition, "[rm-2]default"));
  EXPECT_FALSE(c_->has_work());
}

}  // namespace
}  // namespace tenon::testing
