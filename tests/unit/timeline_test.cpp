// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the history keeps: fine points of late, minutes of before, and never more than its bounds.
#include <gtest/gtest.h>

#include "usage_timeline.hpp"

namespace tenon::observe {
namespace {

constexpr int64_t start_ms = 1'700'000'040'000;  // a whole minute

// One partition, "[rm]default", that uses so much of 100.
kernel_snapshot seen(int64_t used, int64_t pending) {
  partition_snapshot p;
  p.name = "[rm]default";
  p.capacity = {{"vcore", 100}};
  p.used = {{"vcore", used}};
  p.application_states = {{application_state::accepted, 2}, {application_state::running, 5}};
  p.pending = {{"vcore", pending}};
  return {0, {p}};
}

decision_view decision_of(const decided_what &what, std::string_view partition = "[rm]default",
                          int64_t now_ms = start_ms) {
  decision_view d;
  d.what = what;
  d.now_ms = now_ms;
  d.partition = partition;
  return d;
}

TEST(Timeline, KeepsAQuarterOfAnHourFinelyAndSixHoursByMinute) {
  timeline t;
  for (int64_t second = 0; second < 24 * 3600; second += 10) {
    const decision_view one = decision_of(decided::reserved{});
    t.count({&one, 1});
    t.look(seen(second % 100, 7), start_ms + second * 1000);
  }
  const auto all = t.all();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].partition, "[rm]default");
  EXPECT_EQ(all[0].types, std::vector<std::string>{"vcore"});
  const auto &points = all[0].points;
  EXPECT_LE(points.size(), timeline::most_fine + timeline::most_minutes);
  const int64_t last = start_ms + (24 * 3600 - 10) * 1000;
  EXPECT_EQ(points.back().at_ms, last);
  EXPECT_EQ(points.back().span_ms, 10'000);
  EXPECT_EQ(points.back().used[0], (24 * 3600 - 10) % 100);
  EXPECT_EQ(points.back().pending[0], 7);
  EXPECT_EQ(points.back().waiting, 2U);
  EXPECT_EQ(points.front().span_ms, 60'000);
  EXPECT_EQ(points.front().decisions, 6U) << "a minute has those of its six parts";
  EXPECT_LE(points.front().at_ms, last - 5 * 3600 * 1000);
  for (size_t i = 1; i < points.size(); ++i) EXPECT_GT(points[i].at_ms, points[i - 1].at_ms);
}

TEST(Timeline, HasLooksInQuickSuccessionAsOnePoint) {
  timeline t;
  for (int64_t ms = 0; ms < 9'000; ms += 500) {
    const decision_view one = decision_of(decided::reserved{});
    t.count({&one, 1});
    t.look(seen(ms / 500, 0), start_ms + ms);
  }
  const auto points = t.all().at(0).points;
  ASSERT_EQ(points.size(), 1U);
  EXPECT_EQ(points[0].decisions, 18U);
  EXPECT_EQ(points[0].used[0], 17) << "amounts are as of its end";
}

// A rate is a point's decisions by its span.
TEST(Timeline, HasTheFirstDecisionsOfAPartitionInAPointThatLasts) {
  const auto span_of = [](int64_t first_ms, int64_t then_ms, int64_t look_ms) {
    timeline t;
    for (const int64_t at : {first_ms, then_ms}) {
      const decision_view one = decision_of(decided::reserved{}, "[rm]default", at);
      t.count({&one, 1});
    }
    t.look(seen(1, 0), look_ms);
    const auto points = t.all().at(0).points;
    EXPECT_EQ(points.size(), 1U);
    EXPECT_EQ(points[0].decisions, 2U);
    return points[0].span_ms;
  };
  EXPECT_EQ(span_of(start_ms, start_ms + 3'000, start_ms + 4'000), 4'000);
  EXPECT_EQ(span_of(start_ms, start_ms, start_ms + 5), 1'000) << "a rate of a few ms says nothing";
  EXPECT_EQ(span_of(start_ms, start_ms, start_ms - 5), 1'000) << "the clock was put back";
  EXPECT_EQ(span_of(start_ms, start_ms, start_ms + 3'600'000), 10'000) << "the scheduler's clock may stand still";
}

TEST(Timeline, APartitionThatNothingWasDecidedOfBeginsWithAMoment) {
  timeline t;
  t.look(seen(1, 0), start_ms);
  EXPECT_EQ(t.all().at(0).points.at(0).span_ms, 0);
}

TEST(Timeline, ForgetsPartitionsThatAreGoneAndNeverHasTooMany) {
  timeline t;
  std::vector<std::string> names(100);
  for (size_t i = 0; i < names.size(); ++i) {
    names[i] = "[rm]p" + std::to_string(i);
    const decision_view one = decision_of(decided::reserved{}, names[i]);
    t.count({&one, 1});
  }
  EXPECT_EQ(t.all().size(), 0U) << "nobody has looked yet";
  t.look(seen(2, 2), start_ms);
  ASSERT_EQ(t.all().size(), 1U) << "those of before have gone";
  EXPECT_EQ(t.all()[0].partition, "[rm]default");
}

TEST(Timeline, KeepsTheLatestPreemptions) {
  timeline t;
  const decision_view one = decision_of(decided::released{termination::preempted_by_scheduler, {}, {}});
  for (size_t i = 0; i < timeline::most_preemptions + 10; ++i) t.count({&one, 1});
  t.look(seen(1, 1), start_ms);
  const auto kept = t.preemptions();
  ASSERT_EQ(kept.size(), timeline::most_preemptions);
  EXPECT_EQ(kept.back().number, timeline::most_preemptions + 10);
  EXPECT_EQ(t.all().at(0).points.back().preempted, timeline::most_preemptions + 10);
}

}  // namespace
}  // namespace tenon::observe
