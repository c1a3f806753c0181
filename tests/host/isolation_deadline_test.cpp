// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How long a call into a process of a module may take.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>

#include "busy_threads.hpp"
#include "isolation_fixture.hpp"

namespace tenon::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::busy_threads;
using testing::children;
using ::testing::HasSubstr;
using testing::Isolation;
using testing::short_deadline;
using ::testing::SizeIs;

TEST_F(Isolation, CallThatNeverReturnsIsAFaultAtTheDeadline) {
  open("keys_spin", module_kind::node_sort, short_deadline);
  const auto before = steady_clock::now();
  EXPECT_EQ(keys(3), TENON_INTERNAL);
  const auto took = steady_clock::now() - before;
  EXPECT_GE(took, milliseconds(300));
  expect_fault("gave no answer in 300 ms");
}

TEST_F(Isolation, OrdersHaveFiftyMillisecondsWhereNobodySaysOtherwise) {
  open("keys_spin", module_kind::node_sort, "isolation: process");
  EXPECT_EQ(keys(3), TENON_INTERNAL);
  expect_fault("gave no answer in 50 ms");
}

TEST_F(Isolation, PredicatesHaveTwoHundredMillisecondsWhereNobodySaysOtherwise) {
  open("filter_stops", module_kind::predicate, "isolation: process");
  ::kill(children().at(0), SIGSTOP);
  EXPECT_EQ(filter(3), TENON_INTERNAL);
  ASSERT_THAT(faults_, SizeIs(1));
  EXPECT_THAT(faults_[0].text, HasSubstr("gave no answer in 200 ms"));
}

// The process could run all the time, and eight threads keep the only processor busy that it may use.
TEST_F(Isolation, ProcessThatWaitsForAProcessorIsNotLate) {
  open("keys_spin", module_kind::node_sort, "isolation: process, process: { call_deadline: 1ms }");
  ASSERT_THAT(children(), SizeIs(1));
  const busy_threads others(8, children()[0]);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(keys(2), TENON_OK) << faults_.back().text;
}

TEST_F(Isolation, ProcessThatSpoilsWhatIsSharedIsNotWaitedForEither) {
  open("keys_answers_itself", module_kind::node_sort, short_deadline);
  EXPECT_EQ(keys(), TENON_OK);
  EXPECT_EQ(keys(), TENON_INTERNAL);
  expect_fault("gave no answer in 300 ms");
}

}  // namespace
}  // namespace tenon::host
