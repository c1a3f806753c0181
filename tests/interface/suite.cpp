// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "../documents/written_pages.hpp"
#include "suite_case.hpp"

namespace tenon::interface {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

TEST_P(Interface, AsksArePlacedWithWhatTheyAskedFor) {
  enter();
  requests batch;
  batch.application("app-1").node("node-1", {{"memory", 1'000}, {"vcore", 10'000}});
  submit(batch);
  expect(TENON_RM_ACCEPTED_APPLICATION, "app-1");
  expect(TENON_RM_ACCEPTED_NODE, "node-1");
  requests asks;
  asks.ask({.key = "ask-1", .resources = {{"memory", 10}, {"vcore", 1'000}}, .task_group = "tg"});
  submit(asks);
  const heard placed = expect(TENON_RM_ALLOCATION, "ask-1");
  EXPECT_EQ(placed.node, "node-1");
  EXPECT_EQ(placed.application, "app-1");
  EXPECT_EQ(placed.partition, "default");
  EXPECT_EQ(placed.resources, (amounts_of{{"memory", 10}, {"vcore", 1'000}}));
}

TEST_P(Interface, ApplicationWithoutItsPartitionRejectedInWords) {
  enter();
  requests batch;
  batch.application("app-1", "root.default", {}, "alice", "nowhere");
  submit(batch);
  EXPECT_THAT(expect(TENON_RM_REJECTED_APPLICATION, "app-1").words, HasSubstr("app-1"));
}

TEST_P(Interface, NodeTwiceTheSecondIsRejected) {
  enter();
  requests batch;
  batch.node("node-1", {{"vcore", 1}});
  submit(batch);
  expect(TENON_RM_ACCEPTED_NODE, "node-1");
  submit(batch);
  EXPECT_THAT(expect(TENON_RM_REJECTED_NODE, "node-1").words, HasSubstr("node name must be unique"));
}

TEST_P(Interface, AskOfNobodyRejected) {
  enter();
  requests batch;
  batch.ask({.application = "app-9", .key = "ask-9"});
  submit(batch);
  bool found = false;
  while (!found) {
    const auto one = rm_->next(30s);
    ASSERT_TRUE(one) << "no rejection";
    found = (one->type == TENON_RM_REJECTED_ASK || one->type == TENON_RM_REJECTED_ALLOCATION) && one->key == "ask-9";
  }
}

TEST_P(Interface, QueueThatIsFullHoldsTheRestUntilSomethingEnds) {
  enter();
  requests batch;
  batch.application("app-1", "root.small").node("node-1", {{"vcore", 10'000}});
  submit(batch);
  expect(TENON_RM_ACCEPTED_APPLICATION, "app-1");
  requests asks;
  for (const char *key : {"a", "b", "c"}) asks.ask({.key = key});
  submit(asks);
  const heard first = expect(TENON_RM_ALLOCATION);
  const heard second = expect(TENON_RM_ALLOCATION);
  requests let_go;
  let_go.release("app-1", lacks(has_release_by_uuid) ? first.key : "", lacks(has_release_by_uuid) ? "" : first.uuid);
  submit(let_go);
  EXPECT_EQ(expect(TENON_RM_RELEASE).application, "app-1");
  const heard third = expect(TENON_RM_ALLOCATION);
  EXPECT_NE(third.key, first.key);
  EXPECT_NE(third.key, second.key);
}

TEST_P(Interface, GangPlaceholdersAreReplaced) {
  enter();
  requests batch;
  batch.gang("app-1", {{"vcore", 2'000}}).node("node-1", {{"vcore", 10'000}});
  submit(batch);
  expect(TENON_RM_ACCEPTED_APPLICATION, "app-1");
  requests asks;
  asks.ask({.key = "ph-1", .task_group = "tg", .placeholder = true});
  asks.ask({.key = "ph-2", .task_group = "tg", .placeholder = true});
  submit(asks);
  EXPECT_TRUE(expect(TENON_RM_ALLOCATION, "ph-1").placeholder);
  expect(TENON_RM_ALLOCATION, "ph-2");
  requests real;
  real.ask({.key = "real-1", .task_group = "tg"});
  submit(real);
  const heard replaced = expect(TENON_RM_RELEASE);
  EXPECT_EQ(replaced.number, TENON_TERMINATION_REPLACED);
  requests confirm;
  confirm.release("app-1", lacks(has_release_by_uuid) ? replaced.key : "", replaced.uuid, TENON_TERMINATION_REPLACED);
  submit(confirm);
  EXPECT_FALSE(expect(TENON_RM_ALLOCATION, "real-1").placeholder);
}

// A shim looks for that very word, to fail what waits for the gang.
TEST_P(Interface, HardGangThatNeverFitsSaysWhyItFails) {
  enter();
  requests batch;
  batch.gang("app-1", {{"vcore", 20'000}}, "hard", 1, {{"tenon/gang-start", "piecewise"}})
      .node("node-1", {{"vcore", 10'000}});
  submit(batch);
  expect(TENON_RM_ACCEPTED_APPLICATION, "app-1");
  expect(TENON_RM_ACCEPTED_NODE, "node-1");
  requests asks;
  asks.ask({.key = "ph-1", .resources = {{"vcore", 20'000}}, .task_group = "tg", .placeholder = true});
  submit(asks);
  std::vector<std::string> said;
  for (heard one; one.state != "Failed" && said.size() < 9;) {
    one = expect(TENON_RM_UPDATED_APPLICATION, "app-1");
    said.push_back(one.state + ": " + one.words);
  }
  const auto timed_out = [](const std::string &state) {
    return AllOf(StartsWith(state + ": ResourceReservationTimeout: "), HasSubstr("allocated"), HasSubstr("1"));
  };
  EXPECT_THAT(said, ElementsAre("Accepted: an ask was added", timed_out("Failing"), timed_out("Failed")));
}

TEST_P(Interface, NodeThatGoesItsAllocationsAreReleased) {
  enter();
  requests batch;
  batch.application("app-1").node("node-1", {{"vcore", 10'000}});
  submit(batch);
  expect(TENON_RM_ACCEPTED_APPLICATION, "app-1");
  requests asks;
  asks.ask({.key = "ask-1"});
  submit(asks);
  expect(TENON_RM_ALLOCATION, "ask-1");
  requests gone;
  gone.change_node("node-1", TENON_NODE_DECOMMISSION);
  submit(gone);
  const heard released = expect(TENON_RM_RELEASE);
  EXPECT_EQ(released.number, TENON_TERMINATION_STOPPED_BY_RM);
  EXPECT_EQ(released.words, "Node node-1 Removed");
}

TEST_P(Interface, AllocationsThatRunAlreadyAreTakenOver) {
  if (lacks(can_report)) GTEST_SKIP() << reason(can_report);
  enter();
  requests first;
  first.application("app-1");
  submit(first);
  expect(TENON_RM_ACCEPTED_APPLICATION, "app-1");
  requests batch;
  batch.node("node-1", {{"vcore", 2'000}}, {}, {{.key = "old-1", .uuid = "uuid-of-old-1"}});
  batch.ask({.key = "new-1"}).ask({.key = "new-2"});
  submit(batch);
  expect(TENON_RM_ACCEPTED_NODE, "node-1");
  const heard placed = expect(TENON_RM_ALLOCATION, "new-1");
  EXPECT_EQ(placed.node, "node-1");
  requests done;
  done.release("app-1", "old-1", lacks(has_release_by_uuid) ? "" : "uuid-of-old-1");
  submit(done);
  expect(TENON_RM_ALLOCATION, "new-2");  // there is room now
}

TEST_P(Interface, CutAndBackNothingIsLost) {
  if (lacks(can_cut)) GTEST_SKIP() << reason(can_cut);
  enter();
  requests batch;
  batch.application("app-1").node("node-1", {{"vcore", 10'000}});
  submit(batch);
  expect(TENON_RM_ACCEPTED_APPLICATION, "app-1");
  rm_->cut();
  ASSERT_TRUE(rm_->come_back().good);
  requests asks;
  asks.ask({.key = "ask-1"});
  submit(asks);
  expect(TENON_RM_ALLOCATION, "ask-1");
}

TEST_P(Interface, UnknownPolicyGroupRefusedWithThoseThatAreThere) {
  registration_request request;
  request.policy_group = "nonsense";
  const outcome out = rm_->enter(request);
  EXPECT_FALSE(out.good);
  EXPECT_THAT(out.words, HasSubstr("nonsense"));
  EXPECT_THAT(out.words, HasSubstr("default"));
}

TEST_P(Interface, RegistersAgainEverythingIsNew) {
  enter();
  requests batch;
  batch.application("app-1").node("node-1", {{"vcore", 10'000}});
  submit(batch);
  expect(TENON_RM_ACCEPTED_NODE, "node-1");
  rm_ = world_->client();
  aside_.clear();
  enter();
  submit(batch);
  expect(TENON_RM_ACCEPTED_APPLICATION, "app-1");
  expect(TENON_RM_ACCEPTED_NODE, "node-1");
}

TEST_P(Interface, TwoRmsDoNotSeeEachOther) {
  enter();
  auto other = world_->client();
  registration_request second;
  second.rm = "rm-2";
  ASSERT_TRUE(other->enter(second).good);
  requests batch;
  batch.application("app-1").node("node-1", {{"vcore", 10'000}});
  submit(batch);
  ASSERT_TRUE(other->submit(batch.messages()).good);
  const auto other_hears = [&](uint32_t type) {
    while (const auto one = other->next(30s))
      if (one->type == type) return true;
    return false;
  };
  // Streams of one RM are not ordered among each other: it waits before it asks.
  expect(TENON_RM_ACCEPTED_APPLICATION, "app-1");
  ASSERT_TRUE(other_hears(TENON_RM_ACCEPTED_APPLICATION));
  requests asks;
  asks.ask({.key = "ask-1"});
  submit(asks);
  ASSERT_TRUE(other->submit(asks.messages()).good);
  expect(TENON_RM_ALLOCATION, "ask-1");
  EXPECT_TRUE(other_hears(TENON_RM_ALLOCATION));
}

// The document has a table for each kind of ways, and the ways of one kind lack the same.
TEST(InterfaceWays, BlanksAreInTheDocument) {
  for (const way &one : ways()) {
    const std::string kind = one.about.name.substr(0, one.about.name.find('_'));
    std::string table = one.about.blanks.empty() ? "Nothing is missing over " + kind + ".\n"
                                                 : "| way | what | why not |\n|---|---|---|\n";
    for (const auto &[need, why] : one.about.blanks) table += "| " + kind + " | " + need + " | " + why + " |\n";
    EXPECT_TRUE(tenon::pages::has_part("docs/interface.md", "blanks of " + kind, table)) << one.about.name;
  }
}

// The cases of all files of the suite.
INSTANTIATE_TEST_SUITE_P(, Interface, ::testing::ValuesIn(ways()), way_name);

}  // namespace
}  // namespace tenon::interface
