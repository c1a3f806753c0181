// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of a max that was lowered below what is used.
#include "scene.hpp"

namespace tenon::testing {
namespace {

using ::testing::Contains;
using ::testing::Not;

template <class T>
class RulesOfQuotas : public scene<T> {
 protected:
  static cluster_config make(int64_t max, const std::string &delay = "10s") {
    queue_config team = make_queue("team", {make_queue("a"), make_queue("b")});
    team.max = {{"vcore", max}};
    team.properties["quota.preemption.delay"] = delay;
    cluster_config c = make_cluster({team});
    c.partitions[0].quota_preemption_enabled = true;
    return c;
  }
  // 6 of 1 in "a", 2 of 1 in "b".
  void begin() {
    this->start(make(20));
    this->add("node-1", {{"vcore", 20}});
    this->add_app("in-a", {.queue = "root.team.a"});
    this->add_app("in-b", {.queue = "root.team.b"});
    for (const char *key : {"1", "2", "3", "4", "5", "6"}) {
      this->now_ms_ += 1;
      this->ask("in-a", key, {{"vcore", 1}});
    }
    for (const char *key : {"7", "8"}) {
      this->now_ms_ += 1;
      this->ask("in-b", key, {{"vcore", 1}});
    }
    EXPECT_EQ(this->placed().size(), 8U);
  }
  lines confirm(const std::string &app, const std::string &key) {
    return this->give_back(app, key, termination::preempted_by_scheduler);
  }
};
TYPED_TEST_SUITE(RulesOfQuotas, schedulers_with<naive::kernel_has.quotas>);

TYPED_TEST(RulesOfQuotas, WhatIsTooMuchIsTakenInProportionAfterTheDelay) {
  this->begin();
  this->reload(this->make(4));
  EXPECT_THAT(this->wait(9 * second), IsEmpty());
  const lines said = this->wait(second);
  ASSERT_EQ(said.size(), 4U);
  EXPECT_EQ(said.at(0),
            "released in-a/6#8 on node-1 PREEMPTED_BY_SCHEDULER: preempting allocations to enforce new max quota for "
            "queue : root.team");
  EXPECT_THAT(said.at(1), HasSubstr("in-a/5"));
  EXPECT_THAT(said.at(2), HasSubstr("in-a/4"));
  EXPECT_THAT(said.at(3), HasSubstr("in-b/8"));
}

TYPED_TEST(RulesOfQuotas, AChildThatIsOverItselfGivesForItsParentToo) {
  this->begin();
  cluster_config c = this->make(6);
  queue_config &a = c.partitions[0].root.queues.at(0).queues.at(0);
  a.max = {{"vcore", 4}};
  this->reload(c);
  EXPECT_THAT(this->wait(10 * second), ElementsAre(HasSubstr("in-a/6"), HasSubstr("in-a/5")));
  this->confirm("in-a", "6");
  this->confirm("in-a", "5");
  c = this->make(4);
  c.partitions[0].root.queues.at(0).queues.at(0).max = {{"vcore", 1}};
  c.partitions[0].root.queues.at(0).queues.at(0).properties["quota.preemption.delay"] = "1h";
  this->reload(c);
  EXPECT_THAT(this->wait(10 * second), ElementsAre(HasSubstr("in-a/4"), HasSubstr("in-a/3"))) << "before its own time";
}

TYPED_TEST(RulesOfQuotas, TheRestOfAGangThatBreaksGoesBeforeAnotherGangBreaks) {
  this->start(this->make(20));
  this->add("node-1", {{"vcore", 20}});
  for (const char *id : {"g", "h"}) this->add_app(id, {.queue = "root.team.a", .placeholder_ask = {{"vcore", 2}}});
  for (const char *key : {"1", "2"}) {
    for (const char *gang : {"g", "h"}) {
      this->now_ms_ += 1;
      this->ask(gang, key, {{"vcore", 1}}, {.task_group = "g", .placeholder = true});
      EXPECT_EQ(this->placed().size(), 1U);
    }
  }
  this->reload(this->make(2));
  EXPECT_THAT(this->wait(10 * second), ElementsAre(HasSubstr("h/2"), HasSubstr("h/1")));
}

TYPED_TEST(RulesOfQuotas, ItGoesOnUntilTheQueueIsWithinItsMax) {
  this->begin();
  this->ask("in-b", "never", {{"vcore", 4}}, {.preempt_self = false});
  this->placed();
  this->reload(this->make(11));
  // Neither child's share of what is over is enough for one; the newest of all goes.
  EXPECT_THAT(this->wait(10 * second), ElementsAre(HasSubstr("in-b/8")));
  this->confirm("in-b", "8");
  this->give_back("in-b", "never");
  this->reload(this->make(6));
  EXPECT_THAT(this->wait(10 * second), ElementsAre(HasSubstr("in-b/7")));
  EXPECT_THAT(this->wait(10 * second), IsEmpty());
  this->confirm("in-b", "7");
  EXPECT_EQ(this->queue_at("root.team")->allocated, (amount_map{{"vcore", 6}}));
  this->wait(10 * second);
  EXPECT_EQ(this->queue_at("root.team")->preempting, amount_map());
}

TYPED_TEST(RulesOfQuotas, ThoseWhoOptedOutAreSpared) {
  this->begin();
  this->ask("in-b", "spared", {{"vcore", 4}}, {.preempt_self = false});
  EXPECT_EQ(this->placed().size(), 1U);
  this->give_back("in-a", "");
  this->reload(this->make(3));  // "in-b" has 6, and the latest of it opted out
  const lines said = this->wait(10 * second);
  ASSERT_EQ(said.size(), 2U);
  EXPECT_THAT(said.at(0), HasSubstr("in-b/8"));
  EXPECT_THAT(said.at(1), HasSubstr("in-b/7"));
  this->confirm("in-b", "7");
  this->confirm("in-b", "8");
  EXPECT_THAT(this->wait(60 * second), Not(Contains(HasSubstr("spared"))));
}

TYPED_TEST(RulesOfQuotas, NothingIsTakenOnceTheQueueIsWithinItsMax) {
  this->begin();
  this->reload(this->make(6));
  this->wait(5 * second);
  this->give_back("in-b", "");
  EXPECT_THAT(this->wait(60 * second), ElementsAre("application_state in-b Completed"));
}

TYPED_TEST(RulesOfQuotas, OffWithoutTheSwitchOrTheDelay) {
  this->begin();
  this->reload(this->make(4, "0"));
  EXPECT_THAT(this->wait(60 * second), IsEmpty());
  cluster_config c = this->make(4);
  c.partitions[0].quota_preemption_enabled = false;
  this->reload(c);
  EXPECT_THAT(this->wait(60 * second), IsEmpty());
}

TYPED_TEST(RulesOfQuotas, AnExistingAllocationCanBeTooMuch) {
  this->begin();
  this->reload(this->make(8));
  this->put("node-1", this->existing("in-a", "9", {{"vcore", 2}}));
  const lines said = this->wait(10 * second);
  EXPECT_EQ(said.size(), 2U);
}

TYPED_TEST(RulesOfQuotas, TheLastVictimMayBeLargerThanWhatIsOver) {
  this->start(this->make(20));
  this->add("node-1", {{"vcore", 20}});
  this->add_app("in-a", {.queue = "root.team.a"});
  this->ask("in-a", "first", {{"vcore", 4}});
  this->ask("in-a", "second", {{"vcore", 4}});
  EXPECT_EQ(this->placed().size(), 2U);
  this->reload(this->make(7));
  EXPECT_EQ(this->wait(10 * second).size(), 1U);
  EXPECT_EQ(this->queue_at("root.team")->preempting, (amount_map{{"vcore", 4}}));
}

}  // namespace
}  // namespace tenon::testing
