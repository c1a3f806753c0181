// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What RMs take back: in the first dialect asks and allocations are two things, later one.
#include "suite_case.hpp"

namespace tenon::interface {
namespace {

class Releases : public Interface {
 protected:
  // Until the application is in that state.
  void expect_state(const std::string &application, const std::string &state) {
    while (expect(TENON_RM_UPDATED_APPLICATION, application).state != state)
      if (HasFailure()) return;
  }
  // Of two asks that are placed in root.small, and one that waits.
  void fill() {
    enter();
    requests batch;
    batch.application("app-1", "root.small").node("node-1", {{"vcore", 10'000}});
    submit(batch);
    expect(TENON_RM_ACCEPTED_APPLICATION, "app-1");
    requests asks;
    for (const char *key : {"a", "b", "c"}) asks.ask({.key = key});
    submit(asks);
    expect(TENON_RM_ALLOCATION, "a");
    expect(TENON_RM_ALLOCATION, "b");
  }
};

TEST_P(Releases, AllAllocationsOfAnApplicationPendingAsksStayWhereTheyAreAnotherThing) {
  fill();
  requests all;
  all.release("app-1", "");
  submit(all);
  expect(TENON_RM_RELEASE, "app-1");  // the first dialect names no key
  expect(TENON_RM_RELEASE, "app-1");
  if (GetParam().about.first_dialect) {
    expect(TENON_RM_ALLOCATION, "c");
  } else {
    expect_state("app-1", "Completing");
  }
}

TEST_P(Releases, AVictimNamesTheAskForWhichItEnds) {
  if (GetParam().about.first_dialect) GTEST_SKIP() << "the first dialect has no field for the ask";
  registration_request request;
  request.config = rich_and_poor;
  enter(request);
  requests batch;
  batch.application("rich", "root.rich").application("poor", "root.poor").node("node-1", {{"vcore", 2'000}});
  submit(batch);
  expect(TENON_RM_ACCEPTED_APPLICATION, "rich");
  expect(TENON_RM_ACCEPTED_APPLICATION, "poor");
  requests runs;
  runs.ask({.application = "rich", .key = "a"}).ask({.application = "rich", .key = "b"});
  submit(runs);
  expect(TENON_RM_ALLOCATION, "a");
  expect(TENON_RM_ALLOCATION, "b");
  requests comes;
  comes.ask({.application = "poor", .key = "c", .may_preempt_others = true});
  submit(comes);
  const heard victim = expect(TENON_RM_RELEASE, "rich");
  EXPECT_EQ(victim.number, TENON_TERMINATION_PREEMPTED);
  EXPECT_EQ(victim.preemptor, "c");
  requests ends;
  ends.release("rich", "a");
  submit(ends);
  EXPECT_EQ(expect(TENON_RM_RELEASE, "a").preemptor, "");
}

TEST_P(Releases, AllAsksOfAnApplicationAllocationsStay) {
  fill();
  requests all;
  all.release_ask("app-1", "");
  submit(all);
  requests two;
  two.release("app-1", "");
  submit(two);
  expect(TENON_RM_RELEASE, "app-1");  // the first dialect names no key
  expect(TENON_RM_RELEASE, "app-1");
  expect_state("app-1", "Completing");
}

TEST_P(Releases, AskWithoutApplicationWithdrawnInEachThatHasIt) {
  enter();
  requests batch;
  batch.application("app-1").application("app-2").node("node-1", {{"vcore", 1}});
  submit(batch);
  expect(TENON_RM_ACCEPTED_APPLICATION, "app-1");
  expect(TENON_RM_ACCEPTED_APPLICATION, "app-2");
  requests asks;
  asks.ask({.application = "app-1", .key = "a"}).ask({.application = "app-2", .key = "a"});
  submit(asks);
  expect_state("app-1", "Accepted");
  expect_state("app-2", "Accepted");
  requests gone;
  gone.release_ask("", "a");
  submit(gone);
  expect_state("app-1", "Completing");
  expect_state("app-2", "Completing");
}

INSTANTIATE_TEST_SUITE_P(, Releases, ::testing::ValuesIn(ways()), way_name);

}  // namespace
}  // namespace tenon::interface
