// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Preemption: once the victims are gone the ask is placed next, and it would not have been with one victim fewer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "cluster.hpp"

namespace tenon::testing {
namespace {

struct victim {
  std::string application, key;
  uint64_t sequence = 0;
};

std::vector<std::string> fields_of(const std::string &line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, '\t');) out.push_back(field);
  return out;
}

// Who was told to go, of the decisions from `first` on.
std::vector<victim> victims_of(const cluster &c, size_t first) {
  std::vector<victim> out;
  for (size_t i = first; i < c.decisions().size(); ++i) {
    const std::vector<std::string> f = fields_of(c.decisions()[i]);
    if (f[2] == "released" && f[11] == "PREEMPTED_BY_SCHEDULER") out.push_back({f[5], f[6], std::stoull(f[7])});
  }
  return out;
}

void confirm(cluster &c, const victim &v) {
  release r;
  r.partition = default_partition;
  r.application = v.application;
  r.key = v.key;
  r.allocation_sequence = v.sequence;
  r.why = termination::preempted_by_scheduler;
  r.what = release_what::allocations;
  c.run(r);
}

int64_t draw(std::mt19937_64 &random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

bool often(std::mt19937_64 &random, int64_t percent) { return draw(random, 1, 100) <= percent; }

amount_map some(std::mt19937_64 &random, int64_t low, int64_t high) {
  amount_map out{{"vcore", draw(random, low, high)}};
  if (often(random, 50)) out["memory"] = draw(random, low, high);
  return out;
}

constexpr const char *claimer = "root.team.claimer";

// A queue with a guarantee, others beside it and elsewhere, some with guarantees and a max.
std::unique_ptr<cluster> make_queues(std::mt19937_64 &random) {
  queue_config own = named_queue("claimer"), beside = named_queue("beside"), one = named_queue("one"),
               two = named_queue("two");
  own.guaranteed = {{"vcore", draw(random, 4, 14)}, {"memory", draw(random, 4, 14)}};
  own.properties["preemption.delay"] = "1ms";
  if (often(random, 30)) own.properties["preemption.policy"] = "intra";
  queue_config team = named_queue("team", {}, {own, beside}), other = named_queue("other", {}, {one, two});
  if (often(random, 40)) team.max = some(random, 8, 24);
  if (often(random, 40)) other.guaranteed = some(random, 2, 12);
  if (often(random, 30)) other.queues[0].guaranteed = some(random, 1, 8);
  if (often(random, 30)) other.queues[1].properties["priority.offset"] = std::to_string(draw(random, -2, 2));
  if (often(random, 15)) other.queues[1].properties["preemption.policy"] = "disabled";
  return std::make_unique<cluster>(std::vector<queue_config>{team, other, named_queue("alone")});
}

void ask(std::mt19937_64 &random, cluster &c, std::string_view app, std::string_view key, const amount_map &need,
         bool claims) {
  std::vector<named_amount> amounts;
  for (const auto &[type, amount] : need) amounts.push_back({type, amount});
  put_ask a;
  a.partition = default_partition;
  a.application = app;
  a.key = key;
  a.resources = amounts;
  a.priority = static_cast<int32_t>(draw(random, claims ? 0 : -2, 2));
  a.allow_preempt_self = often(random, 85);
  a.allow_preempt_other = claims;
  a.originator = often(random, 5);
  c.run(a);
}

// A full cluster in which "claim" tries to preempt at the next step. The same seed makes the same.
std::unique_ptr<cluster> make(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::unique_ptr<cluster> out = make_queues(random);
  cluster &c = *out;
  const int64_t nodes = draw(random, 1, 5);
  for (int64_t i = 0; i < nodes; ++i) c.add_node("node-" + std::to_string(i), some(random, 3, 12));
  const std::vector<std::string> leaves{claimer, "root.team.beside", "root.other.one", "root.other.two", "root.alone"};
  for (const std::string &leaf : leaves) c.add_app("app-of-" + leaf, leaf);
  for (int i = 0; i < 30; ++i) {
    const std::string &leaf = leaves[static_cast<size_t>(often(random, 10) ? 0 : draw(random, 1, 4))];
    ask(random, c, "app-of-" + leaf, "ask-" + std::to_string(i), some(random, 1, 4), false);
  }
  c.settle();
  c.add_app("claim", claimer);
  ask(random, c, "claim", "claim", some(random, 2, 8), true);
  c.advance(1);
  return out;
}

bool step_places_claim(cluster &c) {
  c.run(step{{}, 1, {}});
  return c.placed("claim", "claim") == 1;
}

// By the first seed.
class Victims : public ::testing::TestWithParam<uint64_t> {};

TEST_P(Victims, AreEnoughAndNoneOfThemIsTooMany) {
  int tried = 0, several = 0;
  for (uint64_t seed = GetParam(); seed < GetParam() + 2'500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::unique_ptr<cluster> c = make(seed);
    const size_t first = c->decisions().size();
    if (step_places_claim(*c)) continue;
    const std::vector<victim> victims = victims_of(*c, first);
    if (victims.empty()) continue;
    ++tried;
    several += victims.size() > 1 ? 1 : 0;
    for (const victim &v : victims) confirm(*c, v);
    c->settle();  // an ask that stands before it may be placed elsewhere first
    EXPECT_EQ(c->placed("claim", "claim"), 1U) << (*c)->explain(first_partition, "claim", "claim")->text;

    for (size_t spared = 0; spared < victims.size(); ++spared) {
      std::unique_ptr<cluster> again = make(seed);
      again->run(step{{}, 1, {}});
      for (size_t i = 0; i < victims.size(); ++i) {
        if (i != spared) confirm(*again, victims[i]);
      }
      again->settle();
      EXPECT_EQ(again->placed("claim", "claim"), 0U) << "without victim " << victims[spared].sequence;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(tried, 250);
  EXPECT_GT(several, 75);
}

INSTANTIATE_TEST_SUITE_P(Preemption, Victims, ::testing::Values(1));
INSTANTIATE_TEST_SUITE_P(InFull, Victims, ::testing::Values(2'501, 5'001, 7'501));

// What nodes hold that may give way is counted while they fill; here all types but one come to the partition later.
TEST(Preemption, NodesThatFilledBeforeOtherTypesCameHaveVictims) {
  queue_config poor = named_queue("poor"), rich = named_queue("rich");
  poor.guaranteed = {{"vcore", 50'000}};
  poor.properties["preemption.delay"] = "1ms";
  cluster c({poor, rich});
  c.add_node("node-1", {{"vcore", 10'000}});
  c.add_node("node-2", {{"vcore", 10'000}});
  c.add_app("rich", "root.rich");
  c.add_app("poor", "root.poor");
  for (int i = 0; i < 20; ++i) c.ask("rich", "ask-" + std::to_string(i), {{"vcore", 1'000}});
  c.settle();
  c.add_node("node-3", {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}, {"f", 1}, {"g", 1}, {"h", 1}, {"i", 1}});
  std::mt19937_64 random(1);
  const size_t first = c.decisions().size();
  for (const auto &[key, vcores] : {std::pair("three", 3'000), std::pair("six", 6'000)}) {
    ask(random, c, "poor", key, {{"vcore", vcores}}, true);
    c.advance(1);
    c.settle();
  }
  EXPECT_EQ(victims_of(c, first).size(), 9U);
}

// After so many allocations in vain, those that may be taken are counted for all nodes at once.
TEST(Preemption, BehindAThousandProtectedAllocationsVictimsAreFound) {
  queue_config poor = named_queue("poor"), rich = named_queue("rich"), open = named_queue("open");
  poor.guaranteed = {{"vcore", 50'000}};
  poor.properties["preemption.delay"] = "1ms";
  rich.guaranteed = {{"vcore", 2'000'000}};
  cluster c({poor, rich, open});
  c.add_app("rich", "root.rich");
  c.add_app("poor", "root.poor");
  c.add_app("open", "root.open");
  const auto fill = [&](const std::string &node, std::string_view app, int64_t allocations) {
    c.add_node(node, {{"vcore", 10'000}});
    for (int64_t i = 0; i < allocations; ++i) c.ask(app, node + "-" + std::to_string(i), {{"vcore", 1'000}});
    for (int64_t i = allocations; i < 10; ++i) c.ask("rich", node + "-" + std::to_string(i), {{"vcore", 1'000}});
    c.settle();
  };
  for (int n = 100; n < 250; ++n) fill("node-" + std::to_string(n), "rich", 10);
  fill("node-300", "open", 7);
  fill("node-301", "open", 8);
  const size_t first = c.decisions().size();
  std::mt19937_64 random(1);
  ask(random, c, "poor", "eight", {{"vcore", 8'000}}, true);
  c.advance(1);
  c.settle();
  const std::vector<victim> victims = victims_of(c, first);
  ASSERT_EQ(victims.size(), 8U);
  for (const victim &v : victims) EXPECT_TRUE(v.key.starts_with("node-301-")) << v.key;
}

// Asks that wait try again after a while each, and not between.
TEST(Preemption, TenThousandAsksThatFindNoVictimsCostNothingUntilTheyMayTryAgain) {
  queue_config poor = named_queue("poor"), rich = named_queue("rich");
  poor.guaranteed = {{"vcore", 50'000}};
  cluster c({poor, rich});
  for (int n = 0; n < 10; ++n) c.add_node("node-" + std::to_string(n), {{"vcore", 10'000}});
  c.add_app("rich", "root.rich");
  c.add_app("poor", "root.poor");
  std::mt19937_64 random(7);
  const std::vector<named_amount> half{{"vcore", 5'000}};
  for (int i = 0; i < 20; ++i) {
    put_ask a;
    a.partition = default_partition;
    a.application = "rich";
    const std::string key = "fixed-" + std::to_string(i);
    a.key = key;
    a.resources = half;
    a.allow_preempt_self = false;
    c.run(a);
  }
  c.settle();
  for (int i = 0; i < 10'000; ++i) {
    put_ask a;
    a.partition = default_partition;
    a.application = "poor";
    const std::string key = "ask-" + std::to_string(i);
    a.key = key;
    a.resources = half;
    a.allow_preempt_other = true;
    c.run(a);
  }
  c.settle();
  const auto looks = [&](int64_t ms) {
    c.advance(ms);
    const uint64_t before = c->counters().asks_examined;
    for (int i = 0; i < 1'000; ++i) c.run(step{{}, 30, {}});
    return c->counters().asks_examined - before;
  };
  looks(10'000);  // reservations are made
  EXPECT_EQ(looks(0), 0U);
  EXPECT_EQ(looks(10'000), 0U) << "a preemption delay is 30 s";
  const uint64_t searches = c->counters().victim_searches;
  EXPECT_GE(looks(10'000), 10'000U);
  EXPECT_LE(c->counters().victim_searches - searches, 100U) << "asks alike are searched for once";
  EXPECT_EQ(looks(0), 0U);
  EXPECT_EQ(looks(14'999), 0U) << "they try every 15 s";
  EXPECT_GE(looks(1), 10'000U);
}

}  // namespace
}  // namespace tenon::testing
