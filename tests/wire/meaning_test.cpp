// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What structs say of messages: order, numbers, presence, refusals; and what logs do not say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages.hpp"
#include "si/v1/si.pb.h"
#include "tenon/abi/rm_answers.h"
#include "tenon/abi/rm_requests.h"
#include "tenon/si/v1later/si.pb.h"
#include "tenon/wire/ignored_values.hpp"

namespace tenon::testing {
namespace {

namespace pb = google::protobuf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string_view text(const tenon_text &from) { return {from.data, from.length}; }

class WireMeaning : public ::testing::Test {
 protected:
  template <class T>
  const T &as(size_t index) {
    return reinterpret_cast<const T &>(*out.messages.at(index));
  }
  bool read(const pb::Message &message) { return testing::read(message, bytes, arena, out, refusal); }

  std::string bytes;
  wire::arena arena;
  wire::batch out;
  std::string refusal;
};

TEST_F(WireMeaning, PartsOfARequestAreInTheOrderInWhichTheyTakeEffect) {
  ::si::v1::UpdateRequest request;
  request.set_rmid("rm1");
  request.add_removeapplications();
  request.mutable_releases()->add_allocationaskstorelease();
  request.mutable_releases()->add_allocationstorelease();
  request.add_asks();
  request.add_updatednodes();
  request.add_newschedulablenodes();
  request.add_newapplications();
  ASSERT_TRUE(read(request)) << refusal;
  EXPECT_EQ(text(out.rm), "rm1");
  std::vector<uint32_t> types;
  for (const tenon_rm_message *message : out.messages) {
    types.push_back(message->type);
  }
  EXPECT_THAT(types, ElementsAre(TENON_RM_APPLICATION, TENON_RM_NODE, TENON_RM_NODE, TENON_RM_ASK, TENON_RM_RELEASE,
                                 TENON_RM_ASK_RELEASE, TENON_RM_APPLICATION_REMOVAL));
  EXPECT_EQ(as<tenon_rm_node>(1).action, TENON_NODE_CREATE);
  EXPECT_EQ(as<tenon_rm_node>(2).action, TENON_NODE_UPDATE);
}

TEST_F(WireMeaning, NumbersMeanTheSameWhicheverDialectCountedThem) {
  ::si::v1::UpdateRequest request;
  request.mutable_releases()->add_allocationstorelease()->set_terminationtype(::si::v1::PLACEHOLDER_REPLACED);
  request.add_updatednodes()->set_action(::si::v1::UpdateNodeInfo::DRAIN_TO_SCHEDULABLE);
  ASSERT_TRUE(read(request)) << refusal;
  EXPECT_EQ(as<tenon_rm_node>(0).action, TENON_NODE_UNDRAIN);
  EXPECT_EQ(as<tenon_rm_release>(1).termination, TENON_TERMINATION_REPLACED);

  si::v1later::AllocationRequest later;
  later.mutable_releases()->add_allocationstorelease()->set_terminationtype(si::v1later::PLACEHOLDER_REPLACED);
  ASSERT_TRUE(read(later)) << refusal;
  EXPECT_EQ(as<tenon_rm_release>(0).termination, TENON_TERMINATION_REPLACED);

  si::v1later::EventRecord event;
  event.set_type(si::v1later::EventRecord::NODE);
  ASSERT_TRUE(read(event)) << refusal;
  EXPECT_EQ(as<tenon_rm_event>(0).of, TENON_EVENT_NODE);
}

TEST_F(WireMeaning, PrioritiesOfBothDialectsAreOne) {
  ::si::v1::UpdateRequest request;
  request.add_asks()->mutable_priority()->set_priorityvalue(-3);
  request.add_asks()->mutable_priority()->set_priorityclassname("urgent");
  request.add_asks();
  ASSERT_TRUE(read(request)) << refusal;
  EXPECT_EQ(as<tenon_rm_ask>(0).priority.kind, TENON_PRIORITY_VALUE);
  EXPECT_EQ(as<tenon_rm_ask>(0).priority.value, -3);
  EXPECT_EQ(as<tenon_rm_ask>(1).priority.kind, TENON_PRIORITY_CLASS);
  EXPECT_EQ(text(as<tenon_rm_ask>(1).priority.name), "urgent");
  EXPECT_EQ(as<tenon_rm_ask>(2).priority.kind, TENON_PRIORITY_ABSENT);

  si::v1later::AllocationRequest later;
  later.add_allocations()->set_priority(7);
  ASSERT_TRUE(read(later)) << refusal;
  EXPECT_EQ(as<tenon_rm_allocation>(0).priority.value, 7);
}

TEST_F(WireMeaning, AmountsAreInOrderAndAbsentIsNotEmpty) {
  ::si::v1::UpdateRequest request;
  auto &amounts = *request.add_updatednodes()->mutable_schedulableresource()->mutable_resources();
  amounts["vcore"].set_value(2);
  amounts["memory"].set_value(1);
  request.add_updatednodes()->mutable_schedulableresource();
  request.add_updatednodes();
  ASSERT_TRUE(read(request)) << refusal;
  const tenon_rm_amounts &both = as<tenon_rm_node>(0).schedulable;
  ASSERT_EQ(both.count, 2u);
  EXPECT_EQ(text(both.types[0]), "memory");
  EXPECT_EQ(both.values[0], 1);
  EXPECT_EQ(text(both.types[1]), "vcore");
  EXPECT_EQ(as<tenon_rm_node>(1).schedulable.present, 1u);
  EXPECT_EQ(as<tenon_rm_node>(1).schedulable.count, 0u);
  EXPECT_EQ(as<tenon_rm_node>(2).schedulable.present, 0u);
}

TEST_F(WireMeaning, ResyncIsAMessageOfItsOwn) {
  ::si::v1::UpdateResponse response;
  ASSERT_TRUE(read(response));
  EXPECT_TRUE(out.messages.empty());
  response.set_action(::si::v1::UpdateResponse::RESYNC);
  ASSERT_TRUE(read(response));
  EXPECT_EQ(as<tenon_rm_message>(0).type, TENON_RM_RESYNC);
}

TEST_F(WireMeaning, NumbersThatNobodyDefinedAreRefusedWithTheirPlace) {
  ::si::v1::UpdateRequest request;
  request.mutable_releases()->add_allocationstorelease();
  request.mutable_releases()->add_allocationstorelease()->set_terminationtype(
      static_cast<::si::v1::TerminationType>(4));
  EXPECT_FALSE(read(request));
  EXPECT_EQ(refusal,
            "UpdateRequest.releases.allocationsToRelease[1].terminationType: want a number from 0 to 3, found 4; send "
            "one of the interface's");
}

TEST_F(WireMeaning, IgnoredValuesAreDescribedOnceAndCounted) {
  ::si::v1::UpdateRequest request;
  for (const char *style : {"", "Soft", "hard", "HARD"}) request.add_newapplications()->set_gangschedulingstyle(style);
  request.add_asks()->set_executiontimeoutmilliseconds(5);
  ASSERT_TRUE(read(request)) << refusal;
  EXPECT_EQ(wire::ignored_values(out), "");

  auto &last = *request.add_newapplications();
  last.set_applicationid("app-1");
  last.set_gangschedulingstyle("Hardest");
  ASSERT_TRUE(read(request)) << refusal;
  const std::string style =
      R"(application "app-1": want Soft or Hard as gangSchedulingStyle, have "Hardest", which counts as Soft; )"
      "send Soft or Hard";
  EXPECT_EQ(wire::ignored_values(out), style);
  last.set_executiontimeoutmilliseconds(-1);
  request.mutable_asks(0)->set_executiontimeoutmilliseconds(-5);
  ASSERT_TRUE(read(request)) << refusal;
  EXPECT_EQ(wire::ignored_values(out), style + " (and 2 more ignored values)");

  request.clear_newapplications();
  request.mutable_asks(0)->set_allocationkey(std::string(99, 'k') + "äö");
  ASSERT_TRUE(read(request)) << refusal;
  EXPECT_EQ(wire::ignored_values(out), "ask \"" + std::string(99, 'k') +
                                           "...\": want 0 or more as executionTimeoutMilliSeconds, have -5, which "
                                           "counts as 0; send the time, or leave the field out");
}

TEST_F(WireMeaning, AnAnswerThatADialectCannotSayIsRefused) {
  tenon_rm_node node{};
  node.size = sizeof node;
  node.type = TENON_RM_NODE;
  node.action = TENON_NODE_CREATE_DRAINING;
  out.messages = {reinterpret_cast<const tenon_rm_message *>(&node)};
  ::si::v1::UpdateRequest request;
  EXPECT_FALSE(testing::write(out, request, refusal));
  EXPECT_THAT(refusal, HasSubstr("UpdateRequest.updatedNodes.action: want a number from 2 to 5, found 6"));
  si::v1later::NodeRequest later;
  EXPECT_TRUE(testing::write(out, later, refusal));
  EXPECT_EQ(later.nodes(0).action(), si::v1later::NodeInfo::CREATE_DRAIN);
  si::v1later::ApplicationRequest other;
  EXPECT_FALSE(testing::write(out, other, refusal));
}

// A message of the later dialect with as many bytes of the struct as its size says.
template <class T>
bool write_short(T message, size_t size, si::v1later::AllocationResponse &into, std::string &refusal) {
  message.size = static_cast<uint32_t>(size);
  wire::batch from;
  from.messages = {reinterpret_cast<const tenon_rm_message *>(&message)};
  return testing::write(from, into, refusal);
}

TEST_F(WireMeaning, AReleaseMayLackTheMemberThatWasAppended) {
  tenon_rm_release release{};
  release.type = TENON_RM_RELEASE;
  release.what = TENON_RELEASE_ALLOCATIONS;
  release.termination = TENON_TERMINATION_PREEMPTED;
  release.key = {"victim", 6};
  release.preemptor = {"ask", 3};
  si::v1later::AllocationResponse response;
  ASSERT_TRUE(write_short(release, sizeof release, response, refusal)) << refusal;
  EXPECT_EQ(response.released(0).preemptorkey(), "ask");
  const size_t before = offsetof(tenon_rm_release, preemptor);
  for (const size_t size : {before, sizeof release - 1}) {
    ASSERT_TRUE(write_short(release, size, response, refusal)) << refusal;
    EXPECT_EQ(response.released(0).allocationkey(), "victim");
    EXPECT_EQ(response.released(0).preemptorkey(), "") << size << " bytes";
  }
  EXPECT_FALSE(write_short(release, before - 1, response, refusal));
  EXPECT_THAT(refusal, HasSubstr("of " + std::to_string(before) + " bytes"));
}

TEST_F(WireMeaning, AnAllocationThatIsShorterThanItsStructIsRefused) {
  tenon_rm_allocation allocation{};
  allocation.type = TENON_RM_ALLOCATION;
  si::v1later::AllocationResponse response;
  ASSERT_TRUE(write_short(allocation, sizeof allocation, response, refusal)) << refusal;
  EXPECT_FALSE(write_short(allocation, offsetof(tenon_rm_allocation, recovered), response, refusal));
  EXPECT_THAT(refusal, HasSubstr("of " + std::to_string(sizeof allocation) + " bytes"));
}

}  // namespace
}  // namespace tenon::testing
