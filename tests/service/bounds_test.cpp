// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What one RM may keep: one more is rejected in the RM's own words, and nothing of it is in the journal.
#include <algorithm>

#include "service_case.hpp"
#include "tenon/kernel/journal.hpp"

namespace tenon::service::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class Bounds : public service_case {
 protected:
  scheduler_options bounded(uint64_t host::running_limits::*which, uint64_t most) {
    auto how = manual();
    how.limits = host::running_limits{};
    (*how.limits).*which = most;
    how.journal = [this](std::string_view bytes) { journal_ += bytes; };
    return how;
  }
  static requests ask(const std::string &key, int64_t count = 1, const std::string &tag = {}) {
    requests out;
    interface::ask_of what {
      .application = "app-1", .key = key
    };
    what.max_allocations = static_cast<int32_t>(count);
    if (!tag.empty()) what.tags = {{"tag", tag}};
    out.ask(what);
    return out;
  }
  // Asked for, and whatever can be decided is.
  void send(uint64_t session, const requests &batch) {
    submit(session, batch);
    settle();
  }
  rm_bound bound(const std::string &what, const std::string &rm = "rm-1") {
    for (const rm_bound &one : status(rm).bounds)
      if (one.what == what) return one;
    return {};
  }

  std::string journal_;
};

TEST_F(Bounds, OneAskTooManyIsRejectedWithTheKeyThatRaisesItAndOthersAreNot) {
  open(bounded(&host::running_limits::max_asks, 3));
  const uint64_t greedy = enter("greedy"), other = enter("other");
  for (const uint64_t session : {greedy, other}) send(session, cluster(0, 2));
  send(greedy, ask("third"));
  send(greedy, ask("fourth"));
  const auto rejected = heard(greedy, TENON_RM_REJECTED_ASK);
  ASSERT_THAT(rejected, SizeIs(1));
  EXPECT_EQ(rejected[0].key, "fourth");
  EXPECT_EQ(rejected[0].application, "app-1");
  EXPECT_THAT(rejected[0].words, AllOf(HasSubstr("at most 3 asks"), HasSubstr("have 3"), HasSubstr("rm.max_asks")));
  EXPECT_THAT(journal_, Not(HasSubstr("fourth")));
  const rm_bound asks = bound("asks", "greedy");
  EXPECT_EQ(asks.kept, 3U);
  EXPECT_EQ(asks.most, 3U);
  EXPECT_EQ(asks.refused, 1U);
  EXPECT_TRUE(asks.reached);
  send(other, ask("third"));
  EXPECT_THAT(heard(other, TENON_RM_REJECTED_ASK), IsEmpty());
  EXPECT_EQ(bound("asks", "other").refused, 0U);
}

TEST_F(Bounds, AskForManyCountsEachAllocationThatItMayHave) {
  open(bounded(&host::running_limits::max_asks, 10));
  const uint64_t session = enter();
  send(session, cluster(0, 0));
  send(session, ask("ten", 10));
  send(session, ask("one"));
  EXPECT_THAT(heard(session, TENON_RM_REJECTED_ASK), SizeIs(1));
  send(session, ask("ten", 9));  // again, and smaller
  send(session, ask("one"));
  EXPECT_THAT(heard(session, TENON_RM_REJECTED_ASK), SizeIs(1));
  EXPECT_EQ(bound("asks").kept, 10U);
  send(session, ask("ten", 10));
  EXPECT_THAT(heard(session, TENON_RM_REJECTED_ASK), SizeIs(2));
  send(session, ask("ten", 9));  // no more than it is
  EXPECT_THAT(heard(session, TENON_RM_REJECTED_ASK), SizeIs(2));
}

TEST_F(Bounds, AskThatEndedGivesItsPlaceBack) {
  open(bounded(&host::running_limits::max_asks, 1));
  const uint64_t session = enter();
  send(session, cluster(1, 1));
  send(session, ask("next"));
  ASSERT_THAT(heard(session, TENON_RM_REJECTED_ASK), SizeIs(1)) << "what is allocated is kept";
  requests release;
  release.release("app-1", "ask-0");
  send(session, release);
  EXPECT_EQ(bound("asks").kept, 0U);
  EXPECT_FALSE(bound("asks").reached);
  send(session, ask("next"));
  EXPECT_THAT(heard(session, TENON_RM_REJECTED_ASK), SizeIs(1));
}

TEST_F(Bounds, OneApplicationTooManyIsRejectedUntilOneIsRemoved) {
  open(bounded(&host::running_limits::max_applications, 1));
  const uint64_t session = enter();
  requests second, end, third;
  send(session, cluster(0, 0));
  send(session, second.application("app-2"));
  auto rejected = heard(session, TENON_RM_REJECTED_APPLICATION);
  ASSERT_THAT(rejected, SizeIs(1));
  EXPECT_THAT(rejected[0].words, AllOf(HasSubstr("at most 1 applications"), HasSubstr("rm.max_applications")));
  send(session, end.remove_application("app-1"));
  send(session, third.application("app-2"));
  EXPECT_THAT(heard(session, TENON_RM_REJECTED_APPLICATION), SizeIs(1));
}

TEST_F(Bounds, OneNodeTooManyIsRejectedUntilOneIsRemoved) {
  open(bounded(&host::running_limits::max_nodes, 1));
  const uint64_t session = enter();
  requests second, end, third;
  send(session, cluster(1, 0));
  send(session, second.node("node-2", {{"vcore", 1'000}}));
  auto rejected = heard(session, TENON_RM_REJECTED_NODE);
  ASSERT_THAT(rejected, SizeIs(1));
  EXPECT_THAT(rejected[0].words, AllOf(HasSubstr("at most 1 nodes"), HasSubstr("rm.max_nodes")));
  send(session, end.change_node("node-0", TENON_NODE_DECOMMISSION));
  send(session, third.node("node-2", {{"vcore", 1'000}}));
  EXPECT_THAT(heard(session, TENON_RM_REJECTED_NODE), SizeIs(1));
}

TEST_F(Bounds, ExistingAllocationsCountAlsoWithTheirNode) {
  open(bounded(&host::running_limits::max_asks, 2));
  const uint64_t session = enter();
  send(session, cluster(1, 0));
  const auto running = [](const std::string &key) {
    return interface::existing_of { .application = "app-1", .key = key };
  };
  requests three, one, two;
  send(session, three.node("node-9", {{"vcore", 10'000}}, {}, {running("a"), running("b"), running("c")}));
  EXPECT_THAT(heard(session, TENON_RM_REJECTED_NODE), SizeIs(1));
  send(session, two.node("node-9", {{"vcore", 10'000}}, {}, {running("a"), running("b")}));
  EXPECT_THAT(heard(session, TENON_RM_REJECTED_NODE), SizeIs(1));
  send(session, one.allocation(running("c"), "node-0"));
  const auto rejected = heard(session, TENON_RM_REJECTED_ALLOCATION);
  ASSERT_THAT(rejected, SizeIs(1));
  EXPECT_EQ(rejected[0].key, "c");
}

TEST_F(Bounds, BytesAreThoseOfTexts) {
  open(bounded(&host::running_limits::max_bytes, 100'000));
  const uint64_t session = enter();
  send(session, cluster(0, 0));
  send(session, ask("small", 1, std::string(1'000, 'x')));
  send(session, ask("large", 1, std::string(60'000, 'x')));
  send(session, ask("too-much", 1, std::string(60'000, 'x')));
  const auto rejected = heard(session, TENON_RM_REJECTED_ASK);
  ASSERT_THAT(rejected, SizeIs(1));
  EXPECT_EQ(rejected[0].key, "too-much");
  EXPECT_THAT(rejected[0].words, AllOf(HasSubstr("at most 100000 bytes"), HasSubstr("rm.max_bytes")));
  send(session, ask("large", 1, std::string(59'000, 'x')));
  EXPECT_THAT(heard(session, TENON_RM_REJECTED_ASK), SizeIs(1)) << "less than it has";
}

TEST_F(Bounds, AnRmAtItsLimitOfBytesGoesOnAfterItDeletedSome) {
  open(bounded(&host::running_limits::max_bytes, 60'000));
  const uint64_t session = enter();
  for (int round = 0; round < 3; ++round) {
    int came = 0;
    for (; came < 1'000 && heard(session, TENON_RM_REJECTED_APPLICATION).size() == static_cast<size_t>(round); ++came) {
      requests more;
      more.application("app-" + std::to_string(round) + "-" + std::to_string(came), "root.default",
                       {{"tag", std::string(1'000, 'x')}});
      send(session, more);
    }
    EXPECT_GT(came, 10) << "round " << round;
    requests go;
    for (int i = 0; i < came; ++i) go.remove_application("app-" + std::to_string(round) + "-" + std::to_string(i));
    send(session, go);
    EXPECT_LT(bound("bytes").kept, 10'000U);
  }
}

TEST_F(Bounds, AMailboxHoldsRequestsListsAndTexts) {
  auto how = bounded(&host::running_limits::mailbox_bytes, 100'000);
  open(std::move(how));
  const uint64_t session = enter();
  requests many;
  for (int i = 0; i < 10'000; ++i) many.ask({.key = "k"});
  const auto out = fake_.submit(session, many.messages());
  EXPECT_EQ(out.status, TENON_RETRY);
  EXPECT_LT(out.accepted, 1'000U) << "each is a request with lists";
  settle();
}

// A text of a few bytes for each queue becomes some kilobytes for each.
TEST_F(Bounds, AMailboxHoldsTheQueuesOfConfigurations) {
  open(bounded(&host::running_limits::mailbox_bytes, 100'000));
  const uint64_t session = enter();
  std::string queues = "partitions: [{name: default, queues: [{name: root, queues: [{name: q}";
  for (int i = 0; i < 100; ++i) queues += ", {name: q" + std::to_string(i) + "}";
  requests many;
  for (int i = 0; i < 3; ++i) many.configuration("rm-1", queues + "]}]}]");
  const auto out = fake_.submit(session, many.messages());
  EXPECT_EQ(out.status, TENON_RETRY);
  EXPECT_EQ(out.accepted, 1U);
  settle();
}

// Each round everything comes and goes; what stays for as long as the partition does came with the first.
TEST_F(Bounds, WhatComesAndGoesLeavesNothing) {
  open(bounded(&host::running_limits::max_asks, 1'000));
  const uint64_t session = enter();
  const auto kept = [&] {
    kept_amounts out;
    service_->call([&](cycle_access &on) { out = on.state().kept_for("rm-1"); });
    return out;
  };
  const auto round = [&] {
    requests come, more, go;
    const interface::existing_of foreign {
      .application = "", .key = "foreign", .tags = { {"foreign", "true"} }
    };
    come.node("node-1", {{"vcore", 10'000}}, {{"zone", "a"}}).application("app-1", "root.default", {{"team", "one"}});
    send(session, come);
    for (int i = 0; i < 20; ++i) send(session, ask("ask-" + std::to_string(i), i < 5 ? 3 : 1, "tag"));
    send(session, ask("ask-3", 1, "another tag"));
    more.allocation(foreign, "node-1").change_node("node-1", TENON_NODE_UPDATE, {{"vcore", 12'000}});
    send(session, more);
    EXPECT_GT(kept().asks, 20U);
    go.release("app-1", "ask-0").release("app-1", "").remove_application("app-1");
    go.change_node("node-1", TENON_NODE_DECOMMISSION);
    send(session, go);
  };
  round();
  const kept_amounts after = kept();
  EXPECT_EQ(after.applications, 0U);
  EXPECT_EQ(after.asks, 0U);
  EXPECT_EQ(after.nodes, 0U);
  round();
  EXPECT_EQ(kept(), after);
}

}  // namespace
}  // namespace tenon::service::testing
