// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// RMs that want to hear what their asks wait for, what they should count and what happened; and one that changes its
// own configuration.
#include <gmock/gmock.h>

#include "suite_case.hpp"

namespace tenon::interface {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Reports : public Interface {
 protected:
  // An RM that wants what the keys name, with two nodes and an application in the queue.
  void enter_wanting(const std::vector<std::string> &keys, const std::string &queue = "root.default") {
    registration_request request;
    for (const std::string &key : keys) request.extra_config[key] = "true";
    enter(request);
    requests batch;
    batch.application("app-1", queue).node("node-1", {{"vcore", 10'000}}).node("node-2", {{"vcore", 10'000}});
    submit(batch);
    expect(TENON_RM_ACCEPTED_APPLICATION, "app-1");
    expect(TENON_RM_ACCEPTED_NODE, "node-1");
    expect(TENON_RM_ACCEPTED_NODE, "node-2");
  }
  static tags_of only_on(const std::string &node) { return {{"yunikorn.apache.org/requiredNode", node}}; }
  void ask(const ask_of &what) {
    requests asks;
    asks.ask(what);
    submit(asks);
  }
  void expect_state(const std::string &key, uint32_t state) {
    const heard one = expect(TENON_RM_SCHEDULING_STATE, key);
    EXPECT_EQ(one.number, state) << key;
    EXPECT_EQ(one.words.empty(), state == TENON_SCHEDULING_SCHEDULED) << key;
  }
};

TEST_P(Reports, WhatToCountIsReportedWhenItComesAndWhenItGoes) {
  enter_wanting({"reports.assumptions"});
  ask({.key = "ask-1", .tags = only_on("node-1")});
  const heard placed = expect(TENON_RM_ALLOCATION, "ask-1");
  EXPECT_EQ(expect(TENON_RM_ASSUMED_ALLOCATION, "ask-1").node, "node-1");
  requests let_go;
  let_go.release("app-1", "ask-1", lacks(has_release_by_uuid) ? "" : placed.uuid);
  submit(let_go);
  EXPECT_EQ(expect(TENON_RM_FORGOTTEN_ALLOCATION, "ask-1").node, "");
}

TEST_P(Reports, WhatAnAskWaitsForIsReported) {
  enter_wanting({"reports.states"}, "root.small");
  for (const std::string number : {"1", "2"}) {
    ask({.key = "ask-" + number, .tags = only_on("node-" + number)});
    expect_state("ask-" + number, TENON_SCHEDULING_SCHEDULED);
  }
  ask({.key = "over-the-queue", .resources = {{"vcore", 2'000}}});
  expect_state("over-the-queue", TENON_SCHEDULING_SKIPPED);
  requests other;
  other.application("app-2");
  submit(other);
  expect(TENON_RM_ACCEPTED_APPLICATION, "app-2");
  ask({.application = "app-2", .key = "over-the-node", .resources = {{"vcore", 10'000}}});
  expect_state("over-the-node", TENON_SCHEDULING_FAILED);
  ask({.application = "app-2", .key = "of-the-node", .resources = {{"vcore", 10'000}}, .tags = only_on("node-1")});
  expect_state("of-the-node", TENON_SCHEDULING_RESERVED);
}

TEST_P(Reports, EventsOfItsPartitionsAreReported) {
  enter_wanting({"reports.events"});
  ask({.key = "ask-1"});
  constexpr uint32_t ask_added = 201;
  EXPECT_EQ(expect(TENON_RM_EVENT, "node-1").state, "NodeAdded");
  heard of_application;
  do {
    of_application = expect(TENON_RM_EVENT, "app-1");
  } while (of_application.number != ask_added && !HasFailure());
  EXPECT_EQ(of_application.state, "AskAdded");
}

TEST_P(Reports, NothingIsReportedThatWasNotWanted) {
  enter_wanting({});
  ask({.key = "ask-1"});
  expect(TENON_RM_ALLOCATION, "ask-1");
  EXPECT_FALSE(hears_within(TENON_RM_EVENT, std::chrono::milliseconds(200)));
  for (const uint32_t type : {TENON_RM_ASSUMED_ALLOCATION, TENON_RM_SCHEDULING_STATE, TENON_RM_EVENT})
    EXPECT_EQ(std::count_if(aside_.begin(), aside_.end(), [&](const heard &one) { return one.type == type; }), 0);
}

TEST_P(Reports, GoodbyeOfAnRmThatWantsReportsIsOne) {
  enter_wanting({"reports.states", "reports.events"});
  rm_->leave();
  auto other = world_->client();
  EXPECT_TRUE(other->enter({}).good);
}

INSTANTIATE_TEST_SUITE_P(, Reports, ::testing::ValuesIn(ways()), way_name);

class OwnConfiguration : public Interface {
 protected:
  heard configure(const std::string &text) {
    requests change;
    change.configuration("rm-1", text);
    submit(change);
    return expect(TENON_RM_CONFIGURATION_ANSWER);
  }
};

TEST_P(OwnConfiguration, IsInForceForTheRmAloneOrRefusedInWords) {
  enter();
  const heard refused = configure("partitions: nonsense");
  EXPECT_EQ(refused.number, 0U);
  EXPECT_THAT(refused.words, HasSubstr("partitions"));
  const heard taken = configure("partitions: [{name: default, queues: [{name: root, queues: [{name: default}]}]}]");
  EXPECT_EQ(taken.number, 1U);
  EXPECT_THAT(taken.words, IsEmpty());
  requests batch;
  batch.application("app-1");
  submit(batch);
  expect(TENON_RM_REJECTED_APPLICATION, "app-1");
  auto other = world_->client();
  registration_request second;
  second.rm = "rm-2";
  ASSERT_TRUE(other->enter(second).good);
  ASSERT_TRUE(other->submit(batch.messages()).good);
  for (std::optional<heard> one; (one = other->next(std::chrono::seconds(30)));)
    if (one->application == "app-1") {
      EXPECT_EQ(one->type, TENON_RM_ACCEPTED_APPLICATION) << "everybody may submit to its queues";
      return;
    }
  ADD_FAILURE() << "no answer to the other RM";
}

INSTANTIATE_TEST_SUITE_P(, OwnConfiguration, ::testing::ValuesIn(ways()), way_name);

}  // namespace
}  // namespace tenon::interface
