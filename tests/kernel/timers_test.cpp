// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What is void is forgotten: neither timers nor states of an application grow with all that ever happened.
#include <gtest/gtest.h>

#include <algorithm>

#include "cluster.hpp"

namespace tenon::testing {
namespace {

constexpr int64_t day = 24 * 3'600'000;
constexpr int rounds = 3'000;

struct with_application : cluster {
  with_application() : cluster({named_queue("leaf")}) {
    add_node("node", {{"vcore", 1'000}});
    add_app("app", "root.leaf");
  }
};

void ask_of_a_day(cluster &c, std::string_view key) {
  arena own;
  put_ask ask;
  ask.partition = default_partition;
  ask.application = "app";
  ask.key = key;
  ask.resources = own.resources({{"vcore", 1}});
  ask.execution_timeout_ms = day;
  c.run(ask);
  c.settle();
}

TEST(Timers, OfWorkThatIsDoneAreForgotten) {
  with_application c;
  for (int i = 0; i < 10; ++i) ask_of_a_day(c, "stays-" + std::to_string(i));
  uint64_t most = 0;
  for (int i = 0; i < rounds; ++i) {
    ask_of_a_day(c, "goes");
    c.give_back("app", "goes");
    c.advance(1);
    most = std::max(most, c->counters().timers);
  }
  EXPECT_LT(most, 100U) << "of work that is done, the timers stay a day";
  ASSERT_EQ(c.placed("app", "stays-0"), 1U);
  c.advance(day);
  c.run(advance{});
  const auto is_over = [](const std::string &decision) { return decision.find("is over") != std::string::npos; };
  EXPECT_EQ(std::count_if(c.decisions().begin(), c.decisions().end(), is_over), 10) << "its day is over";
}

TEST(Timers, OfAnApplicationThatRunsEmptyAgainAndAgainAreForgotten) {
  with_application c;
  for (int i = 0; i < rounds; ++i) {
    c.ask("app", "ask", {{"vcore", 1}});
    c.settle();
    c.give_back("app", {});
    ASSERT_LT(c->counters().timers, 100U) << "after " << i << " rounds";
  }
}

TEST(States, OfAnApplicationThatRunsEmptyAgainAndAgainAreTheFirstAndTheLast) {
  with_application c;
  const int64_t begin = c->now_ms();
  for (int i = 0; i < rounds; ++i) {
    c.advance(1);
    c.ask("app", "ask", {{"vcore", 1}});
    c.settle();
    c.give_back("app", {});
  }
  const auto log = c->snapshot().partitions.at(0).applications.at(0).state_log;
  ASSERT_EQ(log.size(), most_states_kept);
  EXPECT_EQ(log.front(), std::pair(begin + 1, application_state::accepted));
  EXPECT_EQ(log.back(), std::pair(c->now_ms(), application_state::completing));
  EXPECT_TRUE(std::is_sorted(log.begin(), log.end(), [](auto &a, auto &b) { return a.first < b.first; }));
}

}  // namespace
}  // namespace tenon::testing
