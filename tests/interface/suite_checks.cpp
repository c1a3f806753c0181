// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// RMs that check placements, whatever carries the question.
#include <atomic>

#include "suite_case.hpp"

namespace tenon::interface {
namespace {

TEST_P(Interface, RmThatChecksPlacements_NothingRunsWhereItRefuses) {
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

TEST_P(Interface, CheckWithoutAnswer_IsOverAndAskedAgainWhenTheRmSaysSo) {
  if (lacks(can_be_late)) GTEST_SKIP() << reason(can_be_late);
  const auto answers = ask_of_silent_rm();
  const heard check = expect(TENON_RM_CHECK, "ask-1");
  EXPECT_EQ(check.application, "app-1");
  EXPECT_EQ(check.partition, "default");
  EXPECT_EQ(check.node, "node-1");
  const heard over = expect(TENON_RM_CHECK_OVER, "ask-1");
  EXPECT_EQ(over.number, check.number);
  EXPECT_EQ(over.node, "node-1");
  *answers = true;
  requests again;
  again.check_again("app-1");
  submit(again);
  EXPECT_EQ(expect(TENON_RM_ALLOCATION, "ask-1").node, "node-1");
}

TEST_P(Interface, CheckThatWasCutOff_IsAskedAgain) {
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
