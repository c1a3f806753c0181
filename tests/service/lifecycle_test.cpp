// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// RMs register, are lost, come back and go: each row of their state table as a transport sees it.
#include <functional>

#include "service_case.hpp"

namespace tenon::service::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class Lifecycle : public service_case {
 protected:
  size_t placed(uint64_t session) const { return heard(session, TENON_RM_ALLOCATION).size(); }
  std::optional<uint32_t> why_ended(uint64_t session) const {
    const auto all = fake_.ended();
    const auto found = all.find(session);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  }
};

TEST_F(Lifecycle, RegisterAgainOlderSessionEndsAndEverythingOfItIsGone) {
  open(manual());
  const uint64_t first = enter();
  submit(first, cluster(1, 3));
  settle();
  ASSERT_EQ(placed(first), 3U);
  const uint64_t second = enter();
  EXPECT_NE(first, second);
  settle();
  EXPECT_EQ(why_ended(first), TENON_RM_ENDED_REPLACED);
  EXPECT_EQ(fake_.submit(first, cluster(1, 1).messages()).status, TENON_DECLINED);
  submit(second, cluster(1, 2));  // the same names are free again
  settle();
  EXPECT_EQ(placed(second), 2U);
  EXPECT_THAT(heard(second, TENON_RM_REJECTED_NODE), SizeIs(0));
}

TEST_F(Lifecycle, RegistrationThatIsRefusedLeavesTheOlderOneAlone) {
  open(manual());
  const uint64_t first = enter();
  interface::registration_request request;
  request.config = "partitions: [ { name: default } ]";
  uint64_t second = 0;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(fake_.enter(request, 0, second).status, TENON_INVALID_CONFIG);
  EXPECT_EQ(fake_.enter(request, 0, second).status, TENON_INVALID_CONFIG) << "within a second: no line of its own";
  const std::string log = ::testing::internal::GetCapturedStderr();
  const size_t told = log.find("the registration of RM 'rm-1' is refused: the configuration of RM 'rm-1'");
  ASSERT_NE(told, std::string::npos) << log;
  EXPECT_EQ(log.find("is refused", told + 40), std::string::npos) << log;
  submit(first, cluster(1, 1));
  settle();
  EXPECT_EQ(placed(first), 1U);
  EXPECT_EQ(why_ended(first), std::nullopt);
}

TEST_F(Lifecycle, RegistrationThatCannotBeReadIsRefusedInWordsAndLogged) {
  open(manual());
  interface::registration_request request;
  request.rm = std::string("rm\n1");
  uint64_t session = 0;
  ::testing::internal::CaptureStderr();
  const auto no = fake_.enter(request, 0, session);
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(no.status, TENON_INVALID_CONFIG);
  EXPECT_THAT(no.words, HasSubstr("rmID: one with them; want: a name without control characters; fix: register with"));
  EXPECT_THAT(log, HasSubstr("is refused: rmID: one with them"));
  EXPECT_EQ(service_->counters().refused_registrations, 1U);
  request.rm = std::string(5000, 'r');
  EXPECT_THAT(fake_.enter(request, 0, session).words,
              HasSubstr("rmID: 5000 bytes; want: at most 1024 bytes; fix: register with a shorter name, or raise"));
}

TEST_F(Lifecycle, RequestsThatCannotBeReadSayWhatToSend) {
  open(manual());
  const uint64_t session = enter();
  using filled = std::function<void(requests &)>;
  for (const auto &[fill, fix] : std::vector<std::pair<filled, std::string>>{
           {[](requests &r) { r.application("a", "root.default", {}, "alice", "[rm-1]default"); }, "; leave out [RM]"},
           {[](requests &r) { r.application(std::string(5000, 'a')); },
            "; use a shorter name, or raise requests.max_name"},
           {[](requests &r) { r.application("a\nb"); }, "have one at byte 1; leave it out"},
           {[](requests &r) {
              r.application("a", "root.default", {{"t", std::string(1 << 17, 'x')}});
            },
            "; shorten it, or raise requests.max_text"},
           {[](requests &r) {
              r.ask({.resources = {{"", 1}}});
            },
            "; name it, as vcore"},
           {[](requests &r) { r.release("a", "k", {}, 99); }, "; send STOPPED_BY_RM for a wish"},
           {[](requests &r) { r.release({}, {}); }, "; name it, or the application"}}) {
    requests batch;
    fill(batch);
    const auto no = fake_.submit(session, batch.messages());
    EXPECT_NE(no.status, TENON_OK) << fix;
    EXPECT_THAT(no.words, HasSubstr(fix));
  }
}

TEST_F(Lifecycle, LostNothingIsPlacedUntilItIsBack) {
  open(manual());
  const uint64_t session = enter();
  EXPECT_EQ(fake_.signal(session, TENON_RM_LOST), TENON_OK);
  EXPECT_EQ(status().state, rm_state::paused);
  submit(session, cluster(1, 3));
  settle(2'000);
  EXPECT_EQ(placed(session), 0U);
  EXPECT_EQ(fake_.signal(session, TENON_RM_BACK), TENON_OK);
  EXPECT_EQ(status().state, rm_state::running);
  settle(3'000);
  EXPECT_EQ(placed(session), 3U);
}

TEST_F(Lifecycle, LostAndBackTheLogHasWhatLasts) {
  ::testing::internal::CaptureStderr();
  open(manual());
  const uint64_t session = enter();
  service_->step(0, 2'000);
  for (int stream = 0; stream < 3; ++stream) {  // each breaks by itself; answers are told again
    fake_.signal(session, TENON_RM_LOST);
    service_->step(0, 2'000);
    fake_.signal(session, TENON_RM_BACK);
    service_->step(0, 2'000);
  }
  fake_.signal(session, TENON_RM_LOST);
  service_->step(0, 2'000);
  service_->step(0, 3'000);
  service_->step(0, 4'000);
  fake_.signal(session, TENON_RM_BACK);
  service_->step(0, 5'000);
  service_->step(0, 6'000);
  const std::string log = ::testing::internal::GetCapturedStderr();
  const size_t lost = log.find("RM 'rm-1' (session 1) is lost");
  const size_t back = log.find("RM 'rm-1' (session 1) is back");
  ASSERT_NE(lost, std::string::npos) << log;
  ASSERT_NE(back, std::string::npos) << log;
  EXPECT_LT(lost, back) << log;
  EXPECT_EQ(log.find("is lost", lost + 30), std::string::npos) << log;
  EXPECT_EQ(log.find("is back", back + 30), std::string::npos) << log;
}

TEST_F(Lifecycle, BackWhatWasNotAcknowledgedComesAgainUnderItsNumbers) {
  open(manual());
  fake_.acknowledge_at_once(false);
  const uint64_t session = enter();
  submit(session, cluster(1, 5));
  settle();
  const auto before = fake_.taken(session);
  ASSERT_GT(before.size(), 3U);
  EXPECT_EQ(fake_.acknowledge(session, "default", before[1].number), TENON_OK);
  fake_.signal(session, TENON_RM_LOST);
  fake_.signal(session, TENON_RM_BACK);
  settle();
  const auto after = fake_.taken(session);
  ASSERT_EQ(after.size(), 2 * before.size() - 2);
  for (size_t i = 2; i < before.size(); ++i) {
    const delivered &again = after[before.size() + i - 2];
    EXPECT_EQ(again.number, before[i].number);
    EXPECT_EQ(text_of(again.what), text_of(before[i].what)) << "a duplicate is recognised by its key and UUID";
  }
}

TEST_F(Lifecycle, AwayForTooLongStoppedAndAllItsStateReleased) {
  open(manual());
  const uint64_t session = enter();
  submit(session, cluster(1, 1));
  settle(2'000);
  fake_.signal(session, TENON_RM_LOST);
  const int64_t five_minutes = 5 * 60'000;
  service_->step(1, 2'000 + five_minutes - 1);
  EXPECT_EQ(status().state, rm_state::paused);
  service_->step(1, 2'000 + five_minutes);
  EXPECT_EQ(service_->rms().size(), 0U);
  EXPECT_EQ(why_ended(session), TENON_RM_ENDED_TIMEOUT);
  EXPECT_EQ(fake_.signal(session, TENON_RM_BACK), TENON_DECLINED);
  EXPECT_EQ(fake_.submit(session, cluster(1, 1).messages()).status, TENON_DECLINED);
  service_->call([](cycle_access &on) { EXPECT_THAT(on.state().snapshot().partitions, SizeIs(0)); });
}

TEST_F(Lifecycle, GoodbyeWhatWasSubmittedIsAppliedAndAnsweredFirst) {
  open(manual());
  const uint64_t session = enter();
  submit(session, cluster(1, 0));
  EXPECT_EQ(fake_.signal(session, TENON_RM_SHUTDOWN), TENON_OK);
  EXPECT_EQ(fake_.submit(session, cluster(1, 1).messages()).status, TENON_DECLINED);
  settle();
  settle();
  EXPECT_THAT(heard(session, TENON_RM_ACCEPTED_APPLICATION), SizeIs(1));
  EXPECT_EQ(why_ended(session), TENON_RM_ENDED_SHUTDOWN);
}

TEST_F(Lifecycle, TooManyWaitWhilePausedStopped) {
  auto how = manual();
  how.limits = host::running_limits{};
  how.limits->pause_queue = 10;
  open(std::move(how));
  fake_.acknowledge_at_once(false);
  const uint64_t session = enter();
  submit(session, cluster(3, 30));
  settle();
  fake_.signal(session, TENON_RM_LOST);
  settle(10'999);
  EXPECT_EQ(status().state, rm_state::paused);
  settle(11'000);
  EXPECT_EQ(why_ended(session), TENON_RM_ENDED_OVERFLOW);
}

TEST_F(Lifecycle, ManyAtOnceEachItsOwnPartitionsAndTheOneTooManyIsRefused) {
  open(manual());
  std::vector<uint64_t> sessions;
  for (int i = 0; i < 64; ++i) sessions.push_back(enter("rm-" + std::to_string(i)));
  uint64_t none = 0;
  interface::registration_request request;
  request.rm = "rm-64";
  const auto out = fake_.enter(request, 0, none);
  EXPECT_EQ(out.status, TENON_EXHAUSTED);
  EXPECT_THAT(out.words, HasSubstr("at most 64"));
  for (const uint64_t one : sessions) submit(one, cluster(1, 2));
  settle();
  for (const uint64_t one : sessions) {
    ASSERT_EQ(placed(one), 2U);
    EXPECT_EQ(heard(one, TENON_RM_ALLOCATION)[0].partition, "default");
  }
  enter("rm-63");  // one that is there may come again
}

TEST_F(Lifecycle, RecoveryHoldNothingIsPlacedUntilItIsDone) {
  open(manual());
  uint64_t session = 0;
  interface::registration_request request;
  request.extra_config = {{"recovery.hold", "true"}};
  ASSERT_TRUE(fake_.enter(request, 0, session).good);
  submit(session, cluster(1, 1));
  settle();
  EXPECT_EQ(placed(session), 0U);
  EXPECT_TRUE(status().held);
  service_->call([](cycle_access &on) { EXPECT_TRUE(on.recovery_done("rm-1")); });
  settle();
  EXPECT_EQ(placed(session), 1U);
}

TEST_F(Lifecycle, RequestsWithoutPartitionGoToTheOnlyOneOfTheRm) {
  open(manual({{"default", R"(
partitions: [ { name: gpu, queues: [ { name: root, submitacl: "*", queues: [ { name: default } ] } ] } ]
)"}}));
  const uint64_t session = enter();
  submit(session, cluster(2, 2));
  settle();
  EXPECT_EQ(placed(session), 2U);
  EXPECT_EQ(heard(session, TENON_RM_ALLOCATION)[0].partition, "gpu");
  requests more;
  more.change_node("node-0", TENON_NODE_DRAIN).change_node("node-1", TENON_NODE_UPDATE, {{"vcore", 20'000}});
  more.release("app-1", "ask-0");
  submit(session, more);
  settle();
  service_->call([&](cycle_access &on) {
    const auto nodes = on.state().snapshot().partitions.at(0).nodes;
    EXPECT_FALSE(nodes.at(0).schedulable);
    EXPECT_EQ(nodes.at(1).capacity.at("vcore"), 20'000);
  });
  EXPECT_THAT(heard(session, TENON_RM_RELEASE), SizeIs(1));
}

TEST_F(Lifecycle, AReleaseUnderAWrongNameIsRefusedAndForgetsNothing) {
  open(manual());
  const uint64_t session = enter();
  requests batch = cluster(1, 1);
  batch.application("app-2");
  submit(session, batch);
  settle();
  const std::string uuid = heard(session, TENON_RM_ALLOCATION).at(0).uuid;
  ::testing::internal::CaptureStderr();
  requests wrong;
  wrong.release("app-2", "ask-0", uuid).release("app-1", "ask-9", uuid).release("nobody", "", uuid);
  submit(session, wrong);
  settle();
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("of application 'app-2' with key 'ask-0', but the allocation is another one's"));
  EXPECT_THAT(heard(session, TENON_RM_RELEASE), SizeIs(0));
  requests right;
  right.release("app-1", "ask-0", uuid);
  submit(session, right);
  settle();
  EXPECT_THAT(heard(session, TENON_RM_RELEASE), SizeIs(1));
}

TEST_F(Lifecycle, AReleaseThatIsNotConfirmedInTimeIsReportedUntilItIs) {
  open(manual({{"default", R"(
partitions: [ { name: default, timeouts: { releaseconfirm: 1m },
                queues: [ { name: root, submitacl: "*", queues: [ { name: default } ] } ] } ]
)"}}));
  const uint64_t session = enter();
  requests batch = cluster(1, 0);
  for (const char *key : {"a", "b"}) batch.ask({.key = key, .timeout_ms = 1'000});
  submit(session, batch);
  settle(1'000);
  settle(2'000);
  const auto told = heard(session, TENON_RM_RELEASE);
  ASSERT_THAT(told, SizeIs(2));
  settle(61'999);
  EXPECT_EQ(status().unconfirmed, 0U);
  ::testing::internal::CaptureStderr();
  settle(62'000);
  settle(90'000);
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(status().unconfirmed, 2U);
  EXPECT_THAT(log, HasSubstr("has not confirmed for 60 s that allocation a of application app-1 has ended"));
  EXPECT_EQ(log.find("allocation a of", log.find("allocation a of") + 1), std::string::npos) << "once";
  requests confirmed;
  confirmed.release("app-1", told[0].key, told[0].uuid, TENON_TERMINATION_TIMEOUT);
  confirmed.release("app-1", told[1].key, {}, TENON_TERMINATION_TIMEOUT);
  submit(session, confirmed);
  settle(91'000);
  EXPECT_EQ(status().unconfirmed, 0U);
}

// However an allocation ends, and whichever of its UUIDs a release names, both are forgotten.
TEST_F(Lifecycle, UuidsOfAllocationsThatEndedAreForgotten) {
  open(manual());
  const uint64_t session = enter();
  requests batch;
  batch.application("app-1").application("app-2");
  batch.node(
      "node-0", {{"vcore", 10'000}}, {},
      {{.key = "reported-a", .uuid = "a"}, {.key = "reported-b", .uuid = "b"}, {.key = "reported-c", .uuid = "c"}});
  for (const char *key : {"timed-a", "timed-b", "timed-c"}) batch.ask({.key = key, .timeout_ms = 1'000});
  for (const char *key : {"plain-a", "plain-b", "plain-c"}) batch.ask({.application = "app-2", .key = key});
  submit(session, batch);
  settle(1'000);
  ASSERT_EQ(status().uuids, 12U) << "two of each that was reported";
  requests full;
  full.change_node("node-0", TENON_NODE_DRAIN);
  submit(session, full);
  settle(2'000);
  ASSERT_THAT(heard(session, TENON_RM_RELEASE), SizeIs(3)) << "of those with a time";
  const auto release = [&](const std::string &application, const std::string &key, const std::string &uuid,
                           uint32_t why) {
    requests one;
    one.release(application, key, uuid, why);
    submit(session, one);
    settle(2'000);
    return status().uuids;
  };
  const std::string of_timed_b = heard(session, TENON_RM_RELEASE)[1].uuid;
  EXPECT_EQ(release("app-1", "timed-a", {}, TENON_TERMINATION_TIMEOUT), 11U) << "confirmed by its key";
  EXPECT_EQ(release("app-1", "timed-b", of_timed_b, TENON_TERMINATION_TIMEOUT), 10U);
  EXPECT_EQ(release("app-1", "reported-a", "a", TENON_TERMINATION_FAILED), 8U);
  EXPECT_EQ(release("app-1", "reported-b", {}, TENON_TERMINATION_FAILED), 6U);
  EXPECT_EQ(release("app-2", "plain-a", {}, TENON_TERMINATION_FAILED), 5U) << "without a decision";
  EXPECT_EQ(release("app-2", {}, {}, TENON_TERMINATION_FAILED), 3U) << "all of the application";
  EXPECT_EQ(release("app-1", {}, {}, TENON_TERMINATION_STOPPED_BY_RM), 0U);
}

const std::string one_partition = R"(
partitions:
  - { name: batch, timeouts: { queuecleanup: 1s, drain: 1s },
      queues: [ { name: root, submitacl: "*", queues: [ { name: default } ] } ] }
)";
const std::string another_partition = R"(
partitions:
  - { name: gpu, queues: [ { name: root, submitacl: "*", queues: [ { name: default } ] } ] }
)";

TEST_F(Lifecycle, NothingIsKeptOfAPartitionThatIsGone) {
  open(manual({{"default", one_partition}}));
  const uint64_t session = enter();
  requests batch;
  batch.application("app-1");
  batch.node("node-0", {{"vcore", 10'000}}, {}, {{.key = "old", .uuid = "the-rm-says-so"}});
  submit(session, batch);
  settle(1'000);
  ASSERT_EQ(status().uuids, 2U);
  ASSERT_FALSE(service_->configure({"", "default", another_partition, "olga"}).why);
  EXPECT_THAT(status().partitions, SizeIs(2)) << "one drains";
  settle(5'000);
  settle(6'000);
  EXPECT_THAT(status().partitions, ElementsAre("[rm-1]gpu"));
  EXPECT_EQ(status().uuids, 0U);
  requests more;
  more.application("app-2").node("node-1", {{"vcore", 10'000}}).ask({.application = "app-2"});
  submit(session, more);
  settle(6'000);
  ASSERT_THAT(heard(session, TENON_RM_ALLOCATION), SizeIs(2)) << "its only partition is another one";
  EXPECT_EQ(heard(session, TENON_RM_ALLOCATION)[1].partition, "gpu");
  // One of the same name counts its allocations from 1 again.
  ASSERT_FALSE(service_->configure({"", "default", one_partition, "olga"}).why);
  requests again;
  again.application("app-3", "root.default", {}, "alice", "batch");
  again.node("node-2", {{"vcore", 10'000}}, {{"si/node-partition", "batch"}});
  again.ask({.application = "app-3", .key = "new", .partition = "batch"});
  submit(session, again);
  settle(6'000);
  ASSERT_THAT(heard(session, TENON_RM_ALLOCATION), SizeIs(3));
  EXPECT_NE(heard(session, TENON_RM_ALLOCATION)[2].uuid, "the-rm-says-so");
}

TEST_F(Lifecycle, ANodeIsFoundWhereItWasCreatedWhenASecondPartitionComes) {
  open(manual({{"default", one_partition}}));
  const uint64_t session = enter();
  requests batch;
  batch.node("node-0", {{"vcore", 10'000}});
  submit(session, batch);
  settle(1'000);
  const std::string both = one_partition + another_partition.substr(another_partition.find("  -"));
  ASSERT_FALSE(service_->configure({"", "default", both, "olga"}).why);
  requests more;
  more.change_node("node-0", TENON_NODE_UPDATE, {{"vcore", 20'000}}).change_node("node-0", TENON_NODE_DRAIN);
  submit(session, more);
  settle(1'000);
  service_->call([&](cycle_access &on) {
    const auto nodes = on.state().snapshot().partitions.at(0).nodes;
    EXPECT_EQ(nodes.at(0).capacity.at("vcore"), 20'000);
    EXPECT_FALSE(nodes.at(0).schedulable);
  });
}

TEST_F(Lifecycle, AReleaseInAWrongPartitionIsRefusedWithTheRightOne) {
  open(manual({{"default", one_partition + another_partition.substr(another_partition.find("  -"))}}));
  const uint64_t session = enter();
  requests batch;
  batch.application("app-1", "root.default", {}, "alice", "batch");
  batch.node("node-0", {{"vcore", 10'000}}, {{"si/node-partition", "batch"}}).ask({.partition = "batch"});
  submit(session, batch);
  settle();
  const std::string uuid = heard(session, TENON_RM_ALLOCATION).at(0).uuid;
  ::testing::internal::CaptureStderr();
  requests wrong;
  wrong.release("app-1", "ask-1", uuid, TENON_TERMINATION_STOPPED_BY_RM, "gpu");
  wrong.release("app-1", "ask-1", uuid, TENON_TERMINATION_STOPPED_BY_RM);
  submit(session, wrong);
  settle();
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("in partition [rm-1]gpu of application 'app-1' with key 'ask-1', but the allocation is in "
                             "partition [rm-1]batch"));
  EXPECT_THAT(log,
              HasSubstr("in partition [rm-1]default of application 'app-1' with key 'ask-1', but the resource manager "
                        "has no such partition"));
  EXPECT_THAT(heard(session, TENON_RM_RELEASE), SizeIs(0));
  requests right;
  right.release("app-1", "ask-1", uuid, TENON_TERMINATION_STOPPED_BY_RM, "batch");
  submit(session, right);
  settle();
  EXPECT_THAT(heard(session, TENON_RM_RELEASE), SizeIs(1));
}

// Neither dialect has an answer for it: an RM that wants events hears it as one.
TEST_F(Lifecycle, EachChangeOfANodeThatIsRefusedIsAnEventWithItsReason) {
  auto how = manual();
  how.limits.emplace().max_bytes = 10'000;
  open(how);
  const uint64_t session = enter("rm-1", TENON_RM_WANTS_EVENTS);
  requests batch;
  batch.node("node-0", {{"vcore", 10'000}});
  submit(session, batch);
  requests wrong;
  wrong.change_node("nobody", TENON_NODE_UPDATE, {{"vcore", 1}}).change_node("nobody", TENON_NODE_DRAIN);
  wrong.change_node("node-0", TENON_NODE_UNDRAIN);
  wrong.node("in-no-partition", {}, {{"si/node-partition", "nowhere"}}, {}, TENON_NODE_UPDATE);
  wrong.node("node-0", {}, {{"large", std::string(20'000, 'x')}}, {}, TENON_NODE_UPDATE);
  submit(session, wrong);
  settle();
  const auto refused = [&] {
    settle();
    std::vector<std::string> words;
    for (const auto &one : heard(session, TENON_RM_EVENT))
      if (one.state == "NodeUpdateRejected" || one.state == "change of a node refused") words.push_back(one.words);
    return words;
  };
  ASSERT_TRUE(fake_.wait([&] { return refused().size() >= 5; })) << ::testing::PrintToString(refused());
  EXPECT_THAT(refused(),
              UnorderedElementsAre(HasSubstr("failed to find node nobody"), HasSubstr("failed to find node nobody"),
                                   HasSubstr("node node-0 is not draining"), HasSubstr("in-no-partition"),
                                   HasSubstr("want at most 10000 bytes")));
}

TEST_F(Lifecycle, NodeInAnotherPartitionIsFoundThereLater) {
  const std::string two = R"(
partitions:
  - { name: default, queues: [ { name: root, submitacl: "*", queues: [ { name: default } ] } ] }
  - { name: gpu, queues: [ { name: root, submitacl: "*", queues: [ { name: default } ] } ] }
)";
  open(manual({{"default", two}}));
  const uint64_t session = enter();
  requests batch;
  batch.application("app-1", "root.default", {}, "alice", "gpu");
  batch.node("node-1", {{"vcore", 1000}}, {{"si/node-partition", "gpu"}});
  batch.ask({.partition = "gpu"});
  batch.change_node("node-1", TENON_NODE_DRAIN);
  submit(session, batch);
  settle();
  EXPECT_EQ(placed(session), 0U) << "drained where it is";
  requests again;
  again.change_node("node-1", TENON_NODE_UNDRAIN);
  submit(session, again);
  settle();
  ASSERT_EQ(placed(session), 1U);
  EXPECT_EQ(heard(session, TENON_RM_ALLOCATION)[0].partition, "gpu");
}

}  // namespace
}  // namespace tenon::service::testing
