// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A step of many decisions is the same as many steps of one, and a steady cycle asks the allocator for nothing.
#include <gtest/gtest.h>

#include <random>

#include "cluster.hpp"
#include "unit/allocation_watch.hpp"

namespace tenon::testing {
namespace {

// A cluster with queues under different orders, and work for a few hundred decisions. The same seed makes the same.
std::unique_ptr<cluster> busy(uint64_t seed) {
  std::mt19937_64 random(seed);
  queue_config fair = named_queue("fair"), fifo = named_queue("fifo", {{"vcore", 40'000}});
  fair.properties["application.sort.policy"] = "fair";
  fair.guaranteed = {{"vcore", 20'000}};
  auto out = std::make_unique<cluster>(std::vector<queue_config>{fair, fifo, named_queue("third")});
  cluster &c = *out;
  for (int n = 0; n < 20; ++n) c.add_node("node-" + std::to_string(n), {{"vcore", 8'000}, {"memory", 8'000}});
  const char *leaves[] = {"root.fair", "root.fifo", "root.third"};
  for (int a = 0; a < 12; ++a) {
    const std::string app = "app-" + std::to_string(a);
    c.add_app(app, leaves[a % 3]);
    for (int i = 0; i < 30; ++i) {
      c.ask(app, "ask-" + std::to_string(i),
            {{"vcore", 100 * (1 + static_cast<int64_t>(random() % 20))},
             {"memory", 1 + static_cast<int64_t>(random() % 900)}},
            static_cast<int32_t>(random() % 3));
    }
  }
  return out;
}

TEST(Steps, ManyDecisionsInAStepAreTheSameAsSingleOnes) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto together = busy(seed), singly = busy(seed);
    together->settle();
    for (int i = 0; i < 1'000; ++i) singly->run(step{{}, 1, {}});
    EXPECT_EQ(together->decisions(), singly->decisions());
    EXPECT_GT(together->decisions().size(), 100U);
  }
}

void expect_no_allocation(cluster &c, const amount_map &need) {
  c.add_app("a", "root.leaf");
  c.add_app("b", "root.other");
  const auto fill = [&](int round) {
    for (int i = 0; i < 4'000; ++i) {
      c.ask(i % 2 == 0 ? "a" : "b", std::to_string(round) + "-" + std::to_string(i), need);
    }
  };
  const auto clear = [&] {
    for (const std::string_view app : {"a", "b"}) c.give_back(app, {});
  };
  for (int round = 0; round < 2; ++round) {  // everything that grows has grown
    fill(round);
    c.settle();
    clear();
  }
  fill(2);
  step s;
  s.max_decisions = 1'000;
  ASSERT_EQ(c->apply(c->now_ms(), s), 1'000U);  // states, counts and priorities of the applications settle
  c->drain([](const decision_view &) {});
  allocation_count = 0;
  const uint32_t decisions = c->apply(c->now_ms(), s);
  const size_t allocated = allocation_count;
  EXPECT_EQ(decisions, 1'000U);
  EXPECT_EQ(allocated, 0U);
}

TEST(Steps, ASteadyCycleAllocatesNothing) {
  cluster c({named_queue("leaf"), named_queue("other")});
  for (int n = 0; n < 100; ++n) c.add_node("node-" + std::to_string(n), {{"vcore", 100'000}, {"memory", 100'000}});
  expect_no_allocation(c, {{"vcore", 1}, {"memory", 1}});
}

TEST(Steps, ASteadyCycleWithDevicesAllocatesNothing) {
  cluster c({named_queue("leaf"), named_queue("other")});
  for (int n = 0; n < 100; ++n) {
    c.add_node("node-" + std::to_string(n), {{"vcore", 100'000}, {"nvidia.com/gpu", 600'000}},
               {{"tenon/devices/nvidia.com/gpu", n % 2 == 0 ? "60x10000" : "30x20000"}});
  }
  expect_no_allocation(c, {{"vcore", 1}, {"nvidia.com/gpu", 1'250}});
}

}  // namespace
}  // namespace tenon::testing
