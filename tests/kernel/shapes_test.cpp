// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Columns of shapes: in which shapes asks came, in generations that an order of nodes sees from the first score on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster.hpp"
#include "tenon/sdk/sort_policy.hpp"
#include "with_module.hpp"

namespace {

using namespace tenon::sdk;

// What the policy was handed last, and for how many nodes.
struct handed {
  std::vector<int64_t> counts, amounts, totals;
  std::vector<std::string> tags, values;
  size_t types = 0;
  uint32_t scored = 0;
} last;

std::vector<std::string> texts_in(const text_list &list) {
  std::vector<std::string> out;
  for (uint64_t i = 0; i < list.size(); ++i) out.emplace_back(list[i].value_or("-"));
  return out;
}

struct looks_ahead {
  static constexpr std::string_view name = "looks-ahead";
  static constexpr std::tuple columns{
      numbers_column{"shapes.counts", scope::context}, numbers_column{"shapes.amounts", scope::context},
      texts_column{"shapes.tags:model", scope::context}, texts_column{"groups.values:model", scope::context},
      numbers_column{"groups.totals:model", scope::context}};
  void begin(const auto &nodes) {
    const auto [counts, amounts, tags, values, totals] = nodes.context().values();
    last.counts.assign(counts.begin(), counts.end());
    last.amounts.assign(amounts.begin(), amounts.end());
    last.totals.assign(totals.begin(), totals.end());
    last.tags = texts_in(tags);
    last.values = texts_in(values);
    last.scored += nodes.size();
  }
  int64_t key(const auto &) const { return 0; }
  int64_t score(const auto &) const { return 0; }
};

}  // namespace

TENON_MODULE(node_sort<looks_ahead>)

namespace tenon::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Shapes : public ::testing::Test {
 protected:
  void start(const std::string &node_sort) {
    last = {};
    it_ = std::make_unique<cluster>(policies_, std::vector{named_queue("a")}, node_sort);
    it_->add_node("node-1", {{"vcore", 1'000'000}}, {{"model", "x"}});
    it_->add_node("node-2", {{"vcore", 2'000'000}, {"memory", 8}}, {{"model", "y"}});
    it_->add_node("node-3", {{"vcore", 4'000'000}}, {{"model", "x"}});
    it_->add_node("node-4", {{"vcore", 1'000}});
    it_->add_app("app", "root.a");
  }
  void ask(int64_t vcore, const std::string &model = {}, int32_t allocations = 1, std::string_view app = "app") {
    put_ask c;
    c.partition = default_partition;
    c.application = app;
    c.key = own_.text("k" + std::to_string(next_++));
    c.resources = own_.resources({{"vcore", vcore}});
    c.max_allocations = allocations;
    if (!model.empty()) c.tags = own_.tags({{"model", model}, {"other", c.key.data()}});
    it_->run(c);
  }
  void ask_times(int times, int64_t vcore) {
    for (int i = 0; i < times; ++i) ask(vcore);
  }
  // So that scores are made.
  void place() { it_->settle(); }

  with_module policies_{TENON_MODULE_ENTRY};
  arena own_;
  std::unique_ptr<cluster> it_;
  int next_ = 0;
};

TEST_F(Shapes, NothingIsSeenBeforeTheFirstGeneration) {
  start("looks-ahead");
  ask_times(31, 5);
  place();
  EXPECT_GT(last.scored, 0U);
  EXPECT_THAT(last.counts, IsEmpty());
  EXPECT_THAT(last.tags, IsEmpty());
  EXPECT_THAT(last.values, IsEmpty());
}

TEST_F(Shapes, FirstGenerationBeginsWithThe32ndAsk) {
  start("looks-ahead");
  ask_times(20, 5);
  ask(7, "x|y", 3);
  ask(7);
  ask(7, "x|y", 2);
  ask_times(9, 5);
  place();
  ASSERT_THAT(last.counts, ElementsAre(29, 1, 5)) << "by amounts, then tags";
  EXPECT_THAT(last.tags, ElementsAre("-", "-", "x|y"));
  ASSERT_EQ(last.amounts.size() % 3, 0U);
  const size_t length = last.amounts.size() / 3;
  EXPECT_THAT((std::vector{last.amounts[0], last.amounts[length], last.amounts[2 * length]}), ElementsAre(5, 7, 7));
  EXPECT_THAT(last.values, ElementsAre("-", "x", "y"));
  const size_t wide = last.totals.size() / 3;
  EXPECT_THAT((std::vector{last.totals[0], last.totals[wide], last.totals[2 * wide]}),
              ElementsAre(1'000, 5'000'000, 2'000'000));
  EXPECT_EQ(last.totals[2 * wide + 1], 8);
}

TEST_F(Shapes, GenerationsTakeTwiceAsLongAndKeepWhatTheySawUntilTheNext) {
  start("looks-ahead");
  ask_times(32, 5);
  ask_times(63, 6);
  it_->set_capacity("node-4", {{"vcore", 9'000}});
  place();
  EXPECT_THAT(last.counts, ElementsAre(32));
  EXPECT_EQ(last.totals[0], 1'000);
  ask(6);
  place();
  EXPECT_THAT(last.counts, ElementsAre(32, 64));
  EXPECT_EQ(last.totals[0], 9'000);
}

TEST_F(Shapes, OldOnesAreHalvedOnceGenerationsAreOfFullLength) {
  start("looks-ahead");
  ask(9);
  ask_times(8'159, 5);  // 32 + 64 + ... + 4096
  place();
  EXPECT_THAT(last.counts, ElementsAre(8'159, 1));
  ask_times(4'096, 5);
  place();
  EXPECT_THAT(last.counts, ElementsAre(8'159 / 2 + 4'096)) << "half of one is none";
}

TEST_F(Shapes, EveryNodeIsScoredAgainWithAGenerationAndOnlyThen) {
  start("looks-ahead");
  ask_times(30, 5);
  place();
  last.scored = 0;
  ask(5);
  place();
  EXPECT_LE(last.scored, 1U) << "the one that changed";
  ask(5);
  place();
  EXPECT_GE(last.scored, 4U);
}

TEST_F(Shapes, AreCountedFromWhenSomebodyFollows) {
  start("fair");
  ask_times(40, 5);
  it_->add_app("chooses", "root.a", "testuser", {{"tenon/node-sort", "looks-ahead"}});
  ask_times(31, 6);
  ask(7, {}, 1, "chooses");
  place();
  EXPECT_THAT(last.counts, ElementsAre(31, 1));
}

TEST_F(Shapes, RefusedAsksAreNone) {
  start("looks-ahead");
  ask_times(31, 5);
  ask(0);
  ask(5, {}, 1, "nobody");
  place();
  EXPECT_THAT(last.counts, IsEmpty());
}

TEST_F(Shapes, MoreThanEnoughAreNotCounted) {
  start("looks-ahead");
  for (int i = 0; i < 2'016; ++i) ask(1 + i);
  place();
  EXPECT_THAT(last.counts, SizeIs(1'024));
}

// What an explanation tries in a copy goes by the same shapes.
TEST_F(Shapes, CopyOfAPartitionHasTheSame) {
  start("looks-ahead");
  ask_times(31, 5);
  ask(100'000'000);
  place();
  last.counts.clear();
  const auto why = (*it_)->explain(first_partition, "app", "k31");
  EXPECT_THAT(last.counts, ElementsAre(31, 1));
}

}  // namespace
}  // namespace tenon::testing
