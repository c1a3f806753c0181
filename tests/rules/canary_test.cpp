// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of canaries: what is counted of them, when waiting brings them back, and what people do.
#include "scene.hpp"

namespace tenon::testing {
namespace {

using ::testing::Contains;
using ::testing::Not;
using ::testing::StartsWith;

template <class T>
class RulesOfCanaries : public scene<T> {
 public:
  static cluster_config cluster_with(const canary_limits &back, std::vector<std::string> queues = {"root.leaf"}) {
    cluster_config out = make_cluster({make_queue("leaf"), make_queue("other")});
    canary_config c;
    c.node_sort.type = "binpacking";
    c.queues = std::move(queues);
    c.back = back;
    out.partitions[0].canary = {c};
    return out;
  }
  // app-1 is the canary's, app-2 is not, app-3 is on neither side.
  void begin(const canary_limits &back, int64_t check_deadline_ms = 0) {
    this->start(cluster_with(back), check_deadline_ms);
    this->add("node-1", {{"vcore", 100}});
    this->add("node-2", {{"vcore", 100}});
    this->add_app("app-1");
    this->add_app("app-2", {.queue = "root.other"});
    this->add_app("app-3", {.tags = {{"tenon/node-sort", "fair"}}});
  }
  // Places so many asks of the application that wait since then; what was said of the canary.
  lines place(const std::string &app, int64_t waited_ms, int count = 1) {
    for (int i = 0; i < count; ++i) {
      this->ask(app, "k" + std::to_string(++asked_), {{"vcore", 1}}, {.create_time_ms = this->now_ms_ - waited_ms});
    }
    lines out;
    for (const std::string &line : this->schedule(1'000)) {
      if (line.starts_with("canary_back")) out.push_back(line);
    }
    return out;
  }
  canary_snapshot canary() { return this->look().canary.value_or(canary_snapshot{}); }
  lines turn_canary(canary_turn turn, std::string_view text = {}) {
    return this->run(change_canary{this->partition_, turn, text});
  }

 private:
  int asked_ = 0;
};
TYPED_TEST_SUITE(RulesOfCanaries, schedulers);

TYPED_TEST(RulesOfCanaries, ItIsCountedHowManyArePlacedAndHowLongTheyWaited) {
  this->begin({});
  this->place("app-1", 3 * second, 2);
  this->place("app-2", 500);
  this->place("app-3", 9 * second);
  this->place("app-2", -7 * second);  // of the future
  EXPECT_EQ(this->canary().canary, (canary_side{1, 2, 6'000}));
  EXPECT_EQ(this->canary().others, (canary_side{1, 2, 500}));
  this->put("node-1", this->existing("app-1", "was-there", {{"vcore", 1}}));
  EXPECT_EQ(this->canary().canary.placed, 2U) << "nobody placed it";
  this->move("app-1", "root.other");
  EXPECT_EQ(this->canary().canary.applications, 0U);
  EXPECT_EQ(this->canary().others.applications, 2U);
}

TYPED_TEST(RulesOfCanaries, MoreThanOneInAHundredThatWaitLongerBringItBack) {
  this->begin({.placements = 4, .waiting_p99_ms = 10'000});
  EXPECT_THAT(this->place("app-1", 10'000, 8), ElementsAre()) << "as long as it may";
  EXPECT_THAT(this->place("app-1", 10'001, 1), ElementsAre()) << "so many are looked at together";
  EXPECT_THAT(this->place("app-2", 90'000, 9), ElementsAre()) << "others may";
  EXPECT_THAT(this->place("app-1", 0, 2), ElementsAre());
  EXPECT_TRUE(this->canary().active);
  EXPECT_THAT(
      this->place("app-1", 0, 2),
      ElementsAre("canary_back: 1 of 4 placements of the canary waited longer than 10000 ms, and one in 100 may"));
  EXPECT_FALSE(this->canary().active);
  EXPECT_EQ(this->canary().since_ms, this->now_ms_);
  EXPECT_EQ(this->canary().canary, (canary_side{0, 12, 90'001})) << "the fourth of them is the last of the canary's";
  this->place("app-1", 0, 3);
  EXPECT_EQ(this->canary().canary.placed, 12U) << "nothing is counted any more";
}

TYPED_TEST(RulesOfCanaries, OneInAHundredMayWaitLonger) {
  this->begin({.placements = 50, .waiting_p99_ms = 10'000});
  this->set_capacity("node-1", {{"vcore", 1'000}});
  EXPECT_THAT(this->place("app-1", 0, 49), ElementsAre());
  EXPECT_THAT(this->place("app-1", 20'000), ElementsAre(HasSubstr("1 of 50 placements")));
  this->reload(this->cluster_with({.placements = 200, .waiting_p99_ms = 10'000}));
  EXPECT_TRUE(this->canary().active) << "another bound begins it anew";
  this->place("app-1", 20'000, 2);
  EXPECT_THAT(this->place("app-1", 0, 198), ElementsAre());
  this->place("app-1", 20'000, 3);
  EXPECT_THAT(this->place("app-1", 0, 197), ElementsAre(HasSubstr("3 of 200 placements")));
}

TYPED_TEST(RulesOfCanaries, ItIsComparedWithTheOthers) {
  this->begin({.placements = 3, .waiting_factor = 1'500});
  this->place("app-1", 30'000, 9);
  EXPECT_TRUE(this->canary().active) << "there is nothing to compare it with";
  this->place("app-2", 20'000, 2);
  EXPECT_TRUE(this->canary().active);
  EXPECT_THAT(this->place("app-2", 20'001), ElementsAre()) << "1,500 thousandths are no more than they may be";
  this->place("app-1", 30'001, 3);
  EXPECT_THAT(this->place("app-2", 20'001, 3), ElementsAre());
  this->place("app-1", 30'002, 3);
  EXPECT_THAT(
      this->place("app-2", 20'001, 3),
      ElementsAre("canary_back: placements of the canary waited 30002 ms on average and others 20001 ms: that is "
                  "more than 1500 thousandths of it"));
}

TYPED_TEST(RulesOfCanaries, OthersCountForASecondAtLeast) {
  this->begin({.placements = 1, .waiting_factor = 2'000});
  this->place("app-1", 2'000);
  EXPECT_THAT(this->place("app-2", 0), ElementsAre());
  this->place("app-1", 2'001);
  EXPECT_THAT(this->place("app-2", 3), ElementsAre(HasSubstr("waited 2001 ms on average and others 3 ms")));
}

TYPED_TEST(RulesOfCanaries, WhatIsProposedCountsAndWhatReplacesDoesNot) {
  this->begin({}, 10 * second);
  EXPECT_THAT(this->place("app-1", 4 * second), ElementsAre());
  EXPECT_EQ(this->canary().canary.placed, 1U);
  this->accept(1);
  EXPECT_EQ(this->canary().canary, (canary_side{1, 1, 4'000})) << "once";
  this->ask("app-1", "tg", {{"vcore", 1}}, {.task_group = "tg", .placeholder = true});
  this->schedule(100);
  this->accept(2);
  this->ask("app-1", "real", {{"vcore", 1}}, {.task_group = "tg"});
  EXPECT_THAT(this->schedule(100), Contains(StartsWith("proposed app-1/real")));
  EXPECT_EQ(this->canary().canary.placed, 2U) << "the placeholder's node was searched for, and no other";
}

TYPED_TEST(RulesOfCanaries, PeopleTakeItBackAndPutItInPlaceAgain) {
  this->begin({});
  this->place("app-1", second);
  EXPECT_THAT(this->turn_canary(canary_turn::again), ElementsAre()) << "it is in place";
  EXPECT_EQ(this->canary().canary.placed, 1U);
  this->wait(second);
  EXPECT_THAT(this->turn_canary(canary_turn::back, "by olga: slow\tjobs"),
              ElementsAre("canary_back: taken back by olga: slow jobs"));
  EXPECT_EQ(this->canary().why, "taken back by olga: slow jobs");
  EXPECT_EQ(this->canary().since_ms, this->now_ms_);
  EXPECT_EQ(this->canary().canary, (canary_side{0, 1, 1'000}));
  EXPECT_EQ(this->canary().others.applications, 2U);
  EXPECT_THAT(this->turn_canary(canary_turn::back), ElementsAre()) << "once is enough";
  this->reload(this->cluster_with({}));
  EXPECT_FALSE(this->canary().active) << "a configuration that says the same";
  this->wait(second);
  EXPECT_THAT(this->turn_canary(canary_turn::again), ElementsAre());
  EXPECT_TRUE(this->canary().active);
  EXPECT_EQ(this->canary().why, "");
  EXPECT_EQ(this->canary().since_ms, this->now_ms_);
  EXPECT_EQ(this->canary().canary, (canary_side{1, 0, 0})) << "from nothing";
  EXPECT_THAT(this->turn_canary(canary_turn::back), ElementsAre("canary_back: taken back"));
  this->reload(make_cluster({make_queue("leaf"), make_queue("other")}));
  EXPECT_THAT(this->turn_canary(canary_turn::again), ElementsAre()) << "there is none";
  EXPECT_FALSE(this->look().canary);
}

}  // namespace
}  // namespace tenon::testing
