// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// RMs that check placements, whatever carries the question.
#include <gmock/gmock.h>

#include <atomic>
#include <map>
#include <set>
#include <utility>

#include "suite_case.hpp"

namespace tenon::interface {
namespace {

TEST_P(Interface, RmThatChecksPlacementsNothingRunsWhereItRefuses) {
  const auto refused = std::make_shared<std::atomic<int>>(0);
  registration_request request;
  request.may_run = [refused](const heard &check) {
    if (check.node == "node-1") ++*refused;
    return check.node != "node-1";
  };
  enter(request);
  requests batch;
  batch.application("app-1").node("node-1", {{"vcore", 10'000}}).node("node-2", {{"vcore", 10'000}});
  submit(batch);
  expect(TENON_RM_ACCEPTED_APPLICATION, "app-1");
  expect(TENON_RM_ACCEPTED_NODE, "node-1");
  expect(TENON_RM_ACCEPTED_NODE, "node-2");
  requests asks;
  for (const char *key : {"a", "b", "c"}) asks.ask({.key = key});
  submit(asks);
  for (const char *key : {"a", "b", "c"}) EXPECT_EQ(expect(TENON_RM_ALLOCATION, key).node, "node-2");
  EXPECT_GT(*refused, 0);
}

TEST_P(Interface, CheckWithoutAnswerIsOverAndAskedAgainForNobodyRefused) {
  if (lacks(can_be_late)) GTEST_SKIP() << reason(can_be_late);
  const auto answers = ask_of_silent_rm();
  const heard check = expect(TENON_RM_CHECK, "ask-1");
  EXPECT_EQ(check.application, "app-1");
  EXPECT_EQ(check.partition, "default");
  EXPECT_EQ(check.node, "node-1");
  EXPECT_TRUE(check.allocate);
  EXPECT_EQ(check.placeholder_key, "");
  const heard over = expect(TENON_RM_CHECK_OVER, "ask-1");
  EXPECT_EQ(over.number, check.number);
  EXPECT_EQ(over.node, "node-1");
  *answers = true;
  EXPECT_EQ(expect(TENON_RM_ALLOCATION, "ask-1").node, "node-1");
}

TEST_P(Interface, CheckThatIsRefusedAskedAgainWhenTheRmSaysSo) {
  if (lacks(can_be_late)) GTEST_SKIP() << reason(can_be_late);
  const auto accepts = std::make_shared<std::atomic<bool>>(false);
  registration_request request;
  request.may_run = [accepts](const heard &) { return accepts->load(); };
  enter_with_ask(request);
  EXPECT_NE(expect(TENON_RM_CHECK_OVER, "ask-1").words, "");
  *accepts = true;
  requests again;
  again.check_again("app-1");
  submit(again);
  EXPECT_EQ(expect(TENON_RM_ALLOCATION, "ask-1").node, "node-1");
}

// RMs whose checks depend on one another ask for a window of one: the next comes when the one before is over.
TEST_P(Interface, WindowOfOneNeverTwoChecksAtOnce) {
  if (lacks(can_be_late)) GTEST_SKIP() << reason(can_be_late);
  registration_request request;
  request.extra_config = {{"checks.window", "1"}};
  request.may_run = [](const heard &) { return std::nullopt; };
  enter_with_ask(request);
  requests more;
  more.ask({.key = "ask-2"}).ask({.key = "ask-3"});
  submit(more);
  uint64_t open = 0;
  for (int checks = 0; checks < 3;) {
    const auto one = rm_->next(std::chrono::seconds(30));
    ASSERT_TRUE(one) << "no check any more";
    if (one->type == TENON_RM_CHECK_OVER) open = 0;
    if (one->type != TENON_RM_CHECK) continue;
    EXPECT_EQ(std::exchange(open, one->number), 0U) << "a second one is open";
    ++checks;
  }
}

TEST_P(Interface, WindowThatIsNoNumberRefusedInWords) {
  if (lacks(can_be_late)) GTEST_SKIP() << reason(can_be_late);
  registration_request request;
  request.may_run = [](const heard &) { return true; };
  for (const char *wrong : {"0", "-1", "many", "", "7 "}) {
    request.extra_config = {{"checks.window", wrong}};
    const outcome out = rm_->enter(request);
    EXPECT_FALSE(out.good) << wrong;
    EXPECT_THAT(out.words, ::testing::HasSubstr("checks.window: want a whole number from 1 on"));
  }
}

TEST_P(Interface, CheckInPlaceOfAPlaceholderSaysWhichAndThatItsRoomIsThere) {
  if (lacks(can_be_late)) GTEST_SKIP() << reason(can_be_late);
  const auto refused = std::make_shared<std::set<std::string>>();  // on the thread that answers
  registration_request request;
  request.may_run = [refused](const heard &check) {
    return check.placeholder_key.empty() || !refused->insert(check.node).second || check.node != "node-1";
  };
  enter(request);
  requests batch;
  batch.gang("app-1", {{"vcore", 1'000}}).node("node-1", {{"vcore", 1'000}});
  submit(batch);
  expect(TENON_RM_ACCEPTED_APPLICATION, "app-1");
  expect(TENON_RM_ACCEPTED_NODE, "node-1");
  requests holder;
  holder.ask({.key = "ph-1", .task_group = "tg", .placeholder = true});
  submit(holder);
  const heard held = expect(TENON_RM_ALLOCATION, "ph-1");
  requests more;
  more.node("node-2", {{"vcore", 1'000}});
  submit(more);
  expect(TENON_RM_ACCEPTED_NODE, "node-2");
  requests real;
  real.ask({.key = "real-1", .task_group = "tg"});
  submit(real);
  const heard in_place = expect(TENON_RM_CHECK, "real-1");
  EXPECT_EQ(in_place.node, "node-1");
  EXPECT_FALSE(in_place.allocate) << "the room is the placeholder's";
  EXPECT_EQ(in_place.placeholder_key, "ph-1");
  EXPECT_EQ(in_place.placeholder_uuid, held.uuid);
  const heard elsewhere = expect(TENON_RM_CHECK, "real-1");
  EXPECT_EQ(elsewhere.node, "node-2");
  EXPECT_TRUE(elsewhere.allocate);
  EXPECT_EQ(elsewhere.placeholder_key, "ph-1");
  EXPECT_EQ(elsewhere.placeholder_uuid, held.uuid);
}

// The node by id is the first to preempt on, and the RM refuses it: what runs there would end in vain.
TEST_P(Interface, RmThatChecksReservationsNoVictimEndsWhereItRefuses) {
  registration_request request;
  request.config = rich_and_poor;
  request.extra_config = {{"checks.reservations", "true"}};
  request.may_run = [](const heard &check) { return check.key != "claim" || check.node != "node-1"; };
  enter(request);
  requests batch;
  batch.application("rich", "root.rich").application("poor", "root.poor");
  for (const char *node : {"node-1", "node-2"}) batch.node(node, {{"vcore", 1'000}});
  submit(batch);
  for (const char *name : {"rich", "poor"}) expect(TENON_RM_ACCEPTED_APPLICATION, name);
  requests runs;
  for (const char *key : {"a", "b"}) runs.ask({.application = "rich", .key = key});
  submit(runs);
  std::map<std::string, heard> by_node;
  for (const char *key : {"a", "b"}) {
    const heard placed = expect(TENON_RM_ALLOCATION, key);
    by_node[placed.node] = placed;
  }
  ASSERT_EQ(by_node.size(), 2U);
  requests comes;
  // The first dialect says by a tag that it may preempt.
  comes.ask({.application = "poor",
             .key = "claim",
             .tags = {{"tenon/allowPreemptOther", "true"}},
             .may_preempt_others = true});
  submit(comes);
  const heard victim = expect(TENON_RM_RELEASE, "rich");
  EXPECT_EQ(victim.uuid, by_node["node-2"].uuid);
  requests ends;
  ends.release("rich", by_node["node-2"].key, victim.uuid, TENON_TERMINATION_PREEMPTED);
  submit(ends);
  EXPECT_EQ(expect(TENON_RM_ALLOCATION, "claim").node, "node-2");
  for (const heard &one : aside_) EXPECT_FALSE(one.type == TENON_RM_RELEASE && one.uuid == by_node["node-1"].uuid);
}

TEST_P(Interface, CheckThatWasCutOffIsAskedAgain) {
  if (lacks(can_cut) || lacks(can_be_late)) GTEST_SKIP() << reason(can_cut);
  const auto answers = ask_of_silent_rm();
  expect(TENON_RM_CHECK, "ask-1");
  rm_->cut();
  *answers = true;
  ASSERT_TRUE(rm_->come_back().good);
  expect(TENON_RM_ALLOCATION, "ask-1");
}

}  // namespace
}  // namespace tenon::interface
