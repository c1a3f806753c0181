// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Gangs cost nothing while nothing can be replaced, are looked at when something can be, and say what they wait for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster.hpp"
#include "tenon/kernel/saved_state.hpp"

namespace tenon::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Gangs : public ::testing::Test {
 protected:
  void ask(const std::string &key, bool placeholder, const std::map<std::string, std::string> &tags = {},
           int64_t vcore = 1'000) {
    put_ask p;
    p.partition = default_partition;
    p.application = "gang";
    p.key = own_.text(key);
    p.resources = own_.resources({{"vcore", vcore}});
    p.task_group = "workers";
    p.placeholder = placeholder;
    p.tags = own_.tags(tags);
    c_.run(p);
  }
  void set_zone(std::string_view node, const std::string &zone) {
    update_node u;
    u.partition = default_partition;
    u.node = node;
    u.attributes = own_.tags({{"si/zone", zone}});
    u.has_attributes = true;
    c_.run(u);
  }
  // A gang of placeholders in zone a.
  void start(int placeholders) {
    c_.add_node("node-a", {{"vcore", 1'000 * placeholders}}, {{"si/zone", "a"}});
    c_.add_app("gang", "root.leaf");
    for (int i = 0; i < placeholders; ++i) ask("placeholder-" + std::to_string(i), true);
    c_.settle();
  }
  [[nodiscard]] uint64_t looks_in_a_thousand_steps() {
    const uint64_t before = c_->counters().asks_examined;
    for (int i = 0; i < 1'000; ++i) c_.run(step{{}, 1, {}});
    return c_->counters().asks_examined - before;
  }
  [[nodiscard]] bool is_replaced(std::string_view placeholder, std::string_view by) const {
    const std::string text = "\tgang\t" + std::string(placeholder) + '\t';
    return std::any_of(c_.decisions().begin(), c_.decisions().end(), [&](const std::string &line) {
      return line.find("PLACEHOLDER_REPLACED") != std::string::npos && line.find(text) != std::string::npos &&
             line.find(by) != std::string::npos;
    });
  }
  [[nodiscard]] std::string why(std::string_view key) { return c_->explain(first_partition, "gang", key)->text; }

  arena own_;
  cluster c_{{named_queue("leaf")}};
};

TEST_F(Gangs, AsksThatSuitNoNodeCostNothingUntilOneComes) {
  start(100);
  for (int i = 0; i < 1'000; ++i) ask("real-" + std::to_string(i), false, {{"si/zone", "b"}});
  c_.settle();
  EXPECT_EQ(looks_in_a_thousand_steps(), 0U);
  EXPECT_FALSE(c_->has_work());
  EXPECT_THAT(why("real-7"), HasSubstr("None of 1 nodes can hold it"));
  c_.add_node("node-b", {{"vcore", 1'000}}, {{"si/zone", "b"}});
  EXPECT_TRUE(c_->has_work());
  c_.settle();
  EXPECT_TRUE(is_replaced("placeholder-0", "real-0"));
  EXPECT_EQ(looks_in_a_thousand_steps(), 0U) << "the node is full";
}

TEST_F(Gangs, ThePlaceholdersNodeMayBecomeTheRightOne) {
  start(1);
  ask("real", false, {{"si/zone", "b"}});
  c_.settle();
  set_zone("node-a", "b");
  c_.settle();
  EXPECT_TRUE(is_replaced("placeholder-0", "real"));
}

TEST_F(Gangs, AnotherPlaceholderMayBeOnTheRightNode) {
  start(1);
  ask("real", false, {{"si/zone", "b"}});
  c_.settle();
  c_.add_node("node-b", {{"vcore", 1'500}}, {{"si/zone", "b"}});
  ask("filler", true);
  set_zone("node-b", "c");
  c_.settle();
  EXPECT_EQ(c_.placed("gang", "filler"), 1U);
  EXPECT_FALSE(is_replaced("filler", "real"));
  set_zone("node-b", "b");
  c_.settle();
  EXPECT_TRUE(is_replaced("filler", "real"));
}

TEST_F(Gangs, TheRmMayChangeItsMind) {
  start(2);
  bool agrees = false;
  c_->set_rm_check([&](auto, auto, std::string_view key, auto, bool) { return agrees || key != "picky"; });
  ask("picky", false);
  ask("plain", false);
  c_.settle();
  EXPECT_TRUE(is_replaced("placeholder-0", "plain"));
  EXPECT_FALSE(is_replaced("placeholder-1", "picky"));
  EXPECT_EQ(looks_in_a_thousand_steps(), 0U);
  agrees = true;
  c_->set_rm_check([&](auto, auto, auto, auto, bool) { return true; });
  c_.settle();
  EXPECT_TRUE(is_replaced("placeholder-1", "picky"));
}

TEST_F(Gangs, TheRmMayLikeTheNodeOfAnotherPlaceholder) {
  start(1);
  c_->set_rm_check([&](auto, auto, std::string_view key, std::string_view node, bool) {
    return node != "node-a" || key != "picky";
  });
  ask("picky", false);
  c_.settle();
  EXPECT_EQ(looks_in_a_thousand_steps(), 0U);
  c_.add_node("node-b", {{"vcore", 1'000}});
  ask("second", true);
  c_.settle();
  EXPECT_TRUE(is_replaced("placeholder-0", "picky")) << "the new node is free and comes first";
}

TEST_F(Gangs, ASavedReplacementKeepsTheAmountsWithWhichItWasDecided) {
  start(1);
  ask("real", false);
  c_.settle();
  ASSERT_TRUE(is_replaced("placeholder-0", "real"));
  ask("real", false, {}, 300);
  const auto saved = c_->save();
  ASSERT_TRUE(saved);
  builtin_policy_source policies{{{"node-attributes"}}};
  const auto restored = kernel::restored(*saved, c_->now_ms(), policies);
  ASSERT_TRUE(restored) << restored.why().text();
  release gone{default_partition, "gang", "placeholder-0"};
  gone.why = termination::placeholder_replaced;
  for (kernel *k : {&*c_, restored->get()}) {
    k->apply(c_->now_ms(), gone);
    EXPECT_EQ(k->snapshot().partitions[0].nodes[0].allocated, (amount_map{{"vcore", 1'000}}));
  }
}

TEST_F(Gangs, ASavedStateNamesEachGroupOfWhichPlaceholdersEndedOnce) {
  start(1);
  auto saved = c_->save();
  ASSERT_TRUE(saved);
  builtin_policy_source policies{{{"node-attributes"}}};
  const auto is_restored = [&](std::vector<saved_application::ended_placeholders> ended) {
    saved->partitions[0].applications[0].placeholders = std::move(ended);
    return static_cast<bool>(kernel::restored(*saved, c_->now_ms(), policies));
  };
  constexpr int64_t most = int64_t{1} << 62;
  EXPECT_TRUE(is_restored({{"a", 1, 0}, {"b", 1, most - 1}}));
  EXPECT_FALSE(is_restored({{"b", 1, 0}, {"a", 1, 0}}));
  EXPECT_FALSE(is_restored({{"a", 1, 0}, {"a", 0, 1}}));
  EXPECT_FALSE(is_restored({{"a", 0, 0}}));
  EXPECT_FALSE(is_restored({{"a", 1, most}}));
  EXPECT_FALSE(is_restored({{"", 1, 0}}));
}

TEST_F(Gangs, AnAskSaysThatItWaitsForPlaceholders) {
  start(1);
  ask("big-placeholder", true);
  ask("first", false);
  ask("second", false);
  EXPECT_THAT(why("first"), HasSubstr("Nothing holds it"));
  EXPECT_THAT(why("second"), HasSubstr("One pending allocation is tried before it"));
  c_.settle();
  EXPECT_THAT(
      why("second"),
      HasSubstr("It waits for the placeholders of its task group workers: 1 pending, 1 that must be released first"));
  EXPECT_THAT(why("second"), Not(HasSubstr("It would run next")));
}

}  // namespace
}  // namespace tenon::testing
