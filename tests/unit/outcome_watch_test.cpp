// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What should have happened between two looks at a state and did not: each finding, and what is none.
#include "outcome_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace tenon::observe {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;

using finding = outcome_finding::kind;
const left_out_by closed{"root.a", "zoo", false, true};

class OutcomeWatch : public testing::Test {
 protected:
  OutcomeWatch() {
    partition_snapshot &p = state_.partitions.emplace_back();
    p.name = "[rm]default";
    p.rm = "rm";
    for (const char *path : {"root", "root.a", "root.b"}) {
      queue_snapshot &q = p.queues.emplace_back();
      q.path = path;
      q.pending = {{"vcore", 10}};
      q.allocated = {{"vcore", 1}};
    }
  }
  partition_snapshot &partition() { return state_.partitions[0]; }
  ask_snapshot &ask(const std::string &queue, const std::string &key, std::optional<left_out_by> out = {}) {
    application_snapshot &app = partition().applications.emplace_back();
    app.id = "of " + key;
    app.queue = queue;
    ask_snapshot &a = app.asks.emplace_back();
    a.key = key;
    a.pending_count = 1;
    a.left_out = std::move(out);
    if (a.left_out) a.blocker = "order";
    return a;
  }
  const std::vector<outcome_finding> &look_after(seconds time) {
    now_ += time;
    watch_.look(
        state_, [this](const std::string &rm) { return rests_ && rm == "rm"; }, now_);
    return watch_.findings();
  }
  // As of a second look, when all has lasted long enough.
  const std::vector<outcome_finding> &found() {
    look_after(seconds(1));
    return look_after(seconds(60));
  }

  kernel_snapshot state_;
  bool rests_ = false;

 private:
  outcome_watch watch_{seconds(60)};
  outcome_watch::clock::time_point now_{};
};

TEST_F(OutcomeWatch, AnOrderThatLetsNothingOfAQueueGo) {
  ask("root.a", "one", closed);
  ask("root.a", "two", closed);
  look_after(seconds(1));
  EXPECT_THAT(look_after(seconds(59)), IsEmpty());
  ASSERT_EQ(look_after(seconds(1)).size(), 1U);
  const outcome_finding one = look_after(seconds(0))[0];
  EXPECT_EQ(one.what, finding::never_eligible);
  EXPECT_EQ(one.object, "root.a");
  EXPECT_EQ(one.partition, "[rm]default");
  EXPECT_EQ(one.order, "zoo");
  EXPECT_FALSE(one.of_queues);
  EXPECT_THAT(one.text,
              HasSubstr("for 60 s by order zoo of queue root.a: 2 applications wait, 'of one' with ask 'one'"));
}

TEST_F(OutcomeWatch, AnOrderThatLetsSomethingGoOrSaysWhenIsNone) {
  ask("root.a", "one", closed);
  ask("root.a", "two", closed);
  look_after(seconds(1));
  partition().applications.pop_back();  // it was placed
  EXPECT_THAT(look_after(seconds(60)), IsEmpty());
  partition().applications.clear();
  ask("root.a", "later", left_out_by{"root.a", "hours", false, false});
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(OutcomeWatch, AnAskThatCouldBePlacedWhileNothingOfItsQueueIs) {
  ask("root.a", "one");
  ask("root.b", "full").blocker = "no node fits";
  ASSERT_EQ(found().size(), 1U);
  EXPECT_EQ(look_after(seconds(0))[0].what, finding::unplaced);
  EXPECT_THAT(look_after(seconds(0))[0].text, HasSubstr("1 application waits, 'of one' with ask 'one'"));
}

TEST_F(OutcomeWatch, AQueueThatGrowsOrWhoseAsksChangeIsServed) {
  ask("root.a", "one");
  look_after(seconds(1));
  partition().queues[1].allocated["vcore"] = 2;
  EXPECT_THAT(look_after(seconds(60)), IsEmpty());
  partition().applications[0].asks[0].pending_count = 2;
  EXPECT_THAT(look_after(seconds(60)), IsEmpty());
  partition().queues[1].allocated["vcore"] = 1;  // what ends is no progress
  EXPECT_EQ(look_after(seconds(60)).size(), 1U);
}

TEST_F(OutcomeWatch, AQueueBelowItsGuaranteeWithTheSameAskThatCouldBePlaced) {
  ask("root.a", "one");
  partition().queues[0].guaranteed = {{"vcore", 4}};
  look_after(seconds(1));
  partition().queues[1].allocated["vcore"] = 2;  // others of the queue are served
  const auto &all = look_after(seconds(60));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].what, finding::below_guarantee);
  EXPECT_EQ(all[0].object, "root");
  EXPECT_THAT(all[0].text, HasSubstr("for 60 s (vcore 1 of 4), and ask 'one' of application 'of one'"));
  partition().queues[0].allocated = {{"vcore", 4}};
  EXPECT_THAT(look_after(seconds(0)), IsEmpty());
}

TEST_F(OutcomeWatch, NothingIsExpectedOfWhoRestsOrWasStopped) {
  ask("root.a", "one");
  rests_ = true;
  EXPECT_THAT(found(), IsEmpty());
  rests_ = false;
  EXPECT_THAT(look_after(seconds(60)), IsEmpty());  // it counts from now on
  partition().state = object_state::stopped;
  EXPECT_THAT(found(), IsEmpty());
}

}  // namespace
}  // namespace tenon::observe
