// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// RMs register, are lost, come back and go: each row of their state table as a transport sees it.
#include <functional>

#include "service_case.hpp"

namespace tenon::service::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

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
