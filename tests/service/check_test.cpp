// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// RMs that check placements: inside of the step, and by answers that come later.
#include "service_case.hpp"

namespace tenon::service::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class Check : public service_case {};

TEST_F(Check, InsideOfTheStep_TheRmsAnswerCounts) {
  open(manual());
  const uint64_t session = enter("rm-1", TENON_RM_WANTS_CHECKS);
  fake_.refuse_node("node-0");
  submit(session, cluster(2, 1));
  settle();
  ASSERT_THAT(heard(session, TENON_RM_ALLOCATION), SizeIs(1));
  EXPECT_EQ(heard(session, TENON_RM_ALLOCATION)[0].node, "node-1");
}

TEST_F(Check, Proposed_ToldWhenTheRmAccepts) {
  open(manual());
  const uint64_t session = enter("rm-1", TENON_RM_WANTS_PROPOSALS);
  submit(session, cluster(2, 1));
  settle(1'000);
  const auto checks = heard(session, TENON_RM_CHECK);
  ASSERT_THAT(checks, SizeIs(1));
  EXPECT_EQ(checks[0].key, "ask-0");
  EXPECT_EQ(checks[0].partition, "default");
  EXPECT_THAT(heard(session, TENON_RM_ALLOCATION), SizeIs(0));
  requests yes;
  yes.checked(checks[0].number, true);
  submit(session, yes);
  settle(1'100);
  ASSERT_THAT(heard(session, TENON_RM_ALLOCATION), SizeIs(1));
  EXPECT_EQ(heard(session, TENON_RM_ALLOCATION)[0].node, checks[0].node);
}

TEST_F(Check, Refused_TriedOnAnotherNode) {
  open(manual());
  const uint64_t session = enter("rm-1", TENON_RM_WANTS_PROPOSALS);
  submit(session, cluster(2, 1));
  settle(1'000);
  ASSERT_THAT(heard(session, TENON_RM_CHECK), SizeIs(1));
  requests no;
  no.checked(heard(session, TENON_RM_CHECK)[0].number, false, "no volume there");
  submit(session, no);
  settle(1'100);
  ASSERT_THAT(heard(session, TENON_RM_CHECK_OVER), SizeIs(1));
  EXPECT_THAT(heard(session, TENON_RM_CHECK_OVER)[0].words, HasSubstr("no volume there"));
  ASSERT_THAT(heard(session, TENON_RM_CHECK), SizeIs(2));
  EXPECT_NE(heard(session, TENON_RM_CHECK)[1].node, heard(session, TENON_RM_CHECK)[0].node);
}

TEST_F(Check, Late_UndoneAfterItsTime) {
  open(manual());
  const uint64_t session = enter("rm-1", TENON_RM_WANTS_PROPOSALS);
  submit(session, cluster(1, 1));
  settle(1'000);
  ASSERT_THAT(heard(session, TENON_RM_CHECK), SizeIs(1));
  settle(1'000 + service_->limits().check_deadline_ms);
  EXPECT_THAT(heard(session, TENON_RM_CHECK_OVER), SizeIs(1));
  requests late;
  late.checked(heard(session, TENON_RM_CHECK)[0].number, true);
  submit(session, late);
  settle(3'000);
  EXPECT_THAT(heard(session, TENON_RM_ALLOCATION), SizeIs(0));
}

}  // namespace
}  // namespace tenon::service::testing
