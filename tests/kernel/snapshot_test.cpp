// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A snapshot of some parts is the whole one without the others.
#include <gtest/gtest.h>

#include "cluster.hpp"

namespace tenon::testing {
namespace {

class Snapshots : public ::testing::Test {
 protected:
  Snapshots() {
    c_.add_node("node-1", {{"vcore", 10}});
    c_.add_app("app", "root.leaf");
    c_.add_app("done", "root.leaf");
    for (int i = 0; i < 12; ++i) c_.ask("app", "ask-" + std::to_string(i), {{"vcore", 1}});
    c_.settle();
    c_.ask("done", "big", {{"vcore", 100}});
    c_.give_back("done", {});
    c_.advance(int64_t{60} * 60'000);
    c_.run(advance{});
  }
  partition_snapshot of(snapshot_part parts) { return c_->snapshot(parts).partitions.at(0); }

  cluster c_{{named_queue("leaf")}, {limit_config{"", {"*"}, {}, {{"vcore", 100}}, 0}}};
};

TEST_F(Snapshots, EverythingIsThereByDefault) {
  const partition_snapshot all = c_->snapshot().partitions.at(0);
  EXPECT_EQ(all.queues.size(), 2U);
  EXPECT_EQ(all.queues.at(0).running_apps, 1U);
  EXPECT_EQ(all.queues.at(1).running_apps, 1U);
  ASSERT_EQ(all.nodes.size(), 1U);
  EXPECT_EQ(all.nodes.at(0).allocations.size(), 10U);
  ASSERT_EQ(all.applications.size(), 1U);
  EXPECT_EQ(all.applications.at(0).allocations.size(), 10U);
  EXPECT_EQ(all.applications.at(0).asks.size(), 2U);
  EXPECT_EQ(all.ended.size(), 1U);
  EXPECT_EQ(all.users.size(), 2U);
  EXPECT_EQ(all.allocations, 10U);
}

TEST_F(Snapshots, APartAloneIsThePart) {
  const partition_snapshot queues = of(snapshot_part::queues);
  EXPECT_EQ(queues.queues.at(1).running_apps, 1U);
  EXPECT_EQ(queues.queues.at(1).allocated, (amount_map{{"vcore", 10}}));
  EXPECT_TRUE(queues.nodes.empty() && queues.applications.empty() && queues.ended.empty() && queues.users.empty());
  EXPECT_EQ(queues.allocations, 10U);
  const partition_snapshot users = of(snapshot_part::users);
  EXPECT_EQ(users.users.size(), 2U);
  EXPECT_TRUE(users.queues.empty() && users.groups.empty());
  const partition_snapshot ended = of(snapshot_part::ended);
  EXPECT_EQ(ended.ended.at(0).id, "done");
  EXPECT_TRUE(ended.applications.empty());
}

TEST_F(Snapshots, NodesAndApplicationsLeaveOutWhatIsInThem) {
  const partition_snapshot bare = of(snapshot_part::nodes | snapshot_part::applications);
  EXPECT_EQ(bare.nodes.at(0).available, amount_map());
  EXPECT_EQ(bare.nodes.at(0).allocated, (amount_map{{"vcore", 10}}));
  EXPECT_TRUE(bare.nodes.at(0).allocations.empty());
  EXPECT_EQ(bare.applications.at(0).pending, (amount_map{{"vcore", 2}}));
  EXPECT_TRUE(bare.applications.at(0).asks.empty() && bare.applications.at(0).allocations.empty());
  const partition_snapshot asks = of(snapshot_part::applications | snapshot_part::asks);
  EXPECT_EQ(asks.applications.at(0).asks.size(), 2U);
  EXPECT_TRUE(asks.applications.at(0).allocations.empty());
}

TEST_F(Snapshots, OfOnePartition) {
  EXPECT_EQ(c_->snapshot(snapshot_part::all, first_partition).partitions.size(), 1U);
  EXPECT_TRUE(c_->snapshot(snapshot_part::all, partition_id::none).partitions.empty());
}

}  // namespace
}  // namespace tenon::testing
