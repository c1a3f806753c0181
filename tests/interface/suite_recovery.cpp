// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// RMs that come with what runs already.
#include <gmock/gmock.h>

#include "suite_case.hpp"

namespace tenon::interface {
namespace {

class Recovery : public Interface {
 protected:
  // Nobody in the process needs to be told what it said.
  void expect_not_held() {
    if (GetParam().about.name == "inproc") return;
    EXPECT_EQ(expect(TENON_RM_RECOVERY_STATE).number, 0U);
  }
  // What is told of allocations up to the one of this key, which is new.
  std::vector<heard> told_until(const std::string &key) {
    std::vector<heard> out;
    while (HasFailure() == false) {
      out.push_back(expect(TENON_RM_ALLOCATION));
      if (out.back().key == key) break;
    }
    return out;
  }
};

// An RM that starts a container for each allocation must not start it twice.
TEST_P(Recovery, AllocationsThatWereReportedNeverLookLikeNewOnes) {
  enter();
  requests first;
  first.application("app-1");
  submit(first);
  expect(TENON_RM_ACCEPTED_APPLICATION, "app-1");
  requests batch;
  batch.node("node-1", {{"vcore", 10'000}}, {},
             {{.key = "old-1", .uuid = "uuid-1"}, {.key = "old-2", .uuid = "uuid-2"}});
  submit(batch);
  expect(TENON_RM_ACCEPTED_NODE, "node-1");
  requests asks;
  asks.ask({.key = "new-1", .tags = {{"tenon/recovered", "true"}}});
  submit(asks);
  const std::vector<heard> told = told_until("new-1");
  const heard &fresh = told.back();
  EXPECT_FALSE(fresh.recovered);
  EXPECT_FALSE(fresh.tags.contains("tenon/recovered"));
  if (GetParam().about.first_dialect) {
    EXPECT_EQ(told.size(), 1U) << "the node's acceptance confirmed them";
    return;
  }
  ASSERT_EQ(told.size(), 3U);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(told[i].tags.at("tenon/recovered"), "true") << told[i].key;
    EXPECT_EQ(told[i].uuid, i == 0 ? "uuid-1" : "uuid-2");
    EXPECT_EQ(told[i].recovered, GetParam().about.name == "inproc") << "the flag is the struct's, the tag the wire's";
  }
}

// Later dialect: an allocation with a node, by itself.
TEST_P(Recovery, AllocationThatIsReportedByItselfIsEchoedWithTheMark) {
  if (GetParam().about.first_dialect) GTEST_SKIP() << "the first dialect reports allocations with their node";
  enter();
  requests batch;
  batch.application("app-1").node("node-1", {{"vcore", 10'000}});
  submit(batch);
  expect(TENON_RM_ACCEPTED_APPLICATION, "app-1");
  expect(TENON_RM_ACCEPTED_NODE, "node-1");
  requests runs;
  runs.allocation({.key = "old-1", .tags = {{"a", "1"}, {"zone", "2"}}}, "node-1");
  submit(runs);
  EXPECT_EQ(expect(TENON_RM_ALLOCATION, "old-1").tags,
            (tags_of{{"a", "1"}, {"tenon/recovered", "true"}, {"zone", "2"}}));
}

TEST_P(Recovery, RmThatIsHeldSchedulingBeginsWhenItSaysThatItIsDone) {
  registration_request held;
  held.extra_config = {{"recovery.hold", "true"}};
  enter(held);
  requests batch;
  batch.application("app-1").node("node-1", {{"vcore", 10'000}});
  submit(batch);
  expect(TENON_RM_ACCEPTED_APPLICATION, "app-1");
  expect(TENON_RM_ACCEPTED_NODE, "node-1");
  requests asks;
  asks.ask({.key = "new-1"});
  submit(asks);
  while (expect(TENON_RM_UPDATED_APPLICATION, "app-1").state != "Accepted") ASSERT_FALSE(HasFailure());
  EXPECT_FALSE(hears_within(TENON_RM_ALLOCATION, std::chrono::milliseconds(300)));
  requests done;
  done.recovery_done();
  submit(done);
  expect_not_held();
  expect(TENON_RM_ALLOCATION, "new-1");
}

// Its stream is one beside the others: that it goes is neither a break nor a goodbye.
TEST_P(Recovery, GoodbyeAfterTheRecoveryIsOne) {
  enter();
  requests batch;
  batch.recovery_done();
  submit(batch);
  expect_not_held();
  rm_->leave();
  auto other = world_->client();
  EXPECT_TRUE(other->enter({}).good);
}

INSTANTIATE_TEST_SUITE_P(, Recovery, ::testing::ValuesIn(ways()), way_name);

}  // namespace
}  // namespace tenon::interface
