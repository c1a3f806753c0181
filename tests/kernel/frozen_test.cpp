// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Frozen states: what a snapshot says, made of what changed alone, and left as they are.
#include <gtest/gtest.h>

#include <thread>

#include "cluster.hpp"

namespace tenon::testing {
namespace {

class FrozenStates : public ::testing::Test {
 protected:
  FrozenStates() {
    for (int i = 0; i < 100; ++i) c_.add_node("node-" + std::to_string(i), {{"vcore", 10}});
    c_.add_app("app", "root.leaf");
    c_.add_app("other", "root.leaf");
    for (int i = 0; i < 300; ++i) c_.ask("app", "ask-" + std::to_string(i), {{"vcore", 1}});
    c_.settle();
    c_.ask("other", "big", {{"vcore", 100}});
    c_.settle();
  }
  uint64_t made() { return c_->counters().blocks_made; }
  // Of blocks that are all made anew.
  kernel_snapshot fresh(snapshot_part parts = snapshot_part::all) {
    c_->forget_frozen();
    return c_->snapshot(parts);
  }

  cluster c_{{named_queue("leaf")}, {limit_config{"", {"*"}, {}, {{"vcore", 1000}}, 0}}};
};

TEST_F(FrozenStates, SayWhatThoseMadeAnewSay) {
  EXPECT_EQ(c_->freeze()->plain(), fresh());
  EXPECT_EQ(c_->freeze()->plain().partitions.at(0).applications.at(1).asks.at(0).blocker, "no node fits");
  using part = snapshot_part;
  for (const part parts :
       {part::queues, part::nodes, part::applications, part::users, part::ended, part::nodes | part::contents,
        part::nodes | part::allocations, part::applications | part::asks}) {
    EXPECT_EQ(c_->freeze(parts)->plain(), fresh(parts)) << static_cast<uint32_t>(parts);
    EXPECT_EQ(c_->freeze()->plain(parts), fresh(parts)) << static_cast<uint32_t>(parts);
  }
  EXPECT_TRUE(c_->freeze(part::all, partition_id::none)->plain().partitions.empty());
}

TEST_F(FrozenStates, CostWhatChanged) {
  auto first = c_->freeze();
  EXPECT_GE(made(), 700U);  // 301 asks, 300 allocations, 100 nodes
  const uint64_t before = made();
  EXPECT_EQ(c_->freeze()->plain(), first->plain());
  EXPECT_EQ(made(), before);
  c_.give_back("app", "ask-7");
  const auto now = c_->freeze();
  EXPECT_LE(made() - before, 5U);  // an ask, its allocation, its node, its application
  EXPECT_EQ(now->plain(), fresh());
}

TEST_F(FrozenStates, StayWhatTheyWere) {
  const auto before = c_->freeze();
  const kernel_snapshot was = c_->snapshot();
  for (int i = 0; i < 300; i += 2) c_.give_back("app", "ask-" + std::to_string(i));
  for (int i = 0; i < 50; ++i) c_.ask("app", "later-" + std::to_string(i), {{"vcore", 2}});
  c_.settle();
  const auto after = c_->freeze();
  EXPECT_EQ(before->plain(), was);
  EXPECT_EQ(after->plain(), fresh());
  EXPECT_LT(before->commands(), after->commands());
}

TEST_F(FrozenStates, AreMadeInShortTurns) {
  constexpr size_t chunk = 16;  // that a turn may do more
  size_t left = SIZE_MAX, turns = 0;
  while (left != 0) {
    const uint64_t before = made();
    left = c_->freeze_some(50);
    EXPECT_LE(made() - before, 50 + chunk);
    ASSERT_LT(++turns, 100U);
  }
  EXPECT_GE(turns, 10U);
  const uint64_t before = made();
  const auto now = c_->freeze();
  EXPECT_EQ(made(), before);
  EXPECT_EQ(now->plain(), fresh());
}

TEST_F(FrozenStates, CostNothingOnceNobodyReads) {
  EXPECT_EQ(c_->frozen_bytes(), 0U);
  const auto kept = c_->freeze();
  const kernel_snapshot was = c_->snapshot();
  EXPECT_GT(c_->frozen_bytes(), 10'000U);
  c_.advance(frozen_kept_ms);
  c_.run(advance{});
  EXPECT_GT(c_->frozen_bytes(), 0U);
  c_.advance(1);
  c_.run(advance{});
  EXPECT_EQ(c_->frozen_bytes(), 0U);
  for (int i = 0; i < 100; ++i) c_.give_back("app", "ask-" + std::to_string(i));
  EXPECT_EQ(kept->plain(), was);
  EXPECT_EQ(c_->freeze()->plain(), fresh());
}

TEST_F(FrozenStates, AreReadOnOtherThreadsAndOutliveTheKernel) {
  std::shared_ptr<const frozen_state> last;
  kernel_snapshot was;
  std::vector<std::thread> readers;
  {
    cluster c{{named_queue("leaf")}};
    c.add_node("node", {{"vcore", 1000}});
    c.add_app("app", "root.leaf");
    for (int i = 0; i < 200; ++i) {
      c.ask("app", "ask-" + std::to_string(i), {{"vcore", 1}});
      c.settle();
      if (i % 10 == 0) {
        readers.emplace_back([state = c->freeze(), is = c->snapshot()] { EXPECT_EQ(state->plain(), is); });
      }
    }
    last = c->freeze();
    was = c->snapshot();
  }
  EXPECT_EQ(last->plain(), was);
  for (std::thread &reader : readers) reader.join();
}

}  // namespace
}  // namespace tenon::testing
