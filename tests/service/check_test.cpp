// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// RMs that check placements: inside of the step, and by answers that come later.
#include "service_case.hpp"

namespace tenon::service::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class Check : public service_case {};

TEST_F(Check, InsideOfTheStepTheRmsAnswerCounts) {
  open(manual());
  const uint64_t session = enter("rm-1", TENON_RM_WANTS_CHECKS);
  fake_.refuse_node("node-0");
  submit(session, cluster(2, 1));
  settle();
  ASSERT_THAT(heard(session, TENON_RM_ALLOCATION), SizeIs(1));
  EXPECT_EQ(heard(session, TENON_RM_ALLOCATION)[0].node, "node-1");
}

TEST_F(Check, ProposedToldWhenTheRmAccepts) {
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

// It is another partition for the kernel, and the same one for the RM.
TEST_F(Check, AskedAboutAPartitionThatIsMadeAgain) {
  open(manual());
  const uint64_t session = enter("rm-1", TENON_RM_WANTS_PROPOSALS);
  const auto has_default = [&] {
    bool out = false;
    service_->call([&](cycle_access &on) { out = on.state().find_partition("[rm-1]default") != partition_id::none; });
    return out;
  };
  ASSERT_FALSE(service_->reload({{"default", "partitions: [ { name: other, queues: [ { name: root } ] } ]"}}));
  settle(120'000);
  ASSERT_FALSE(has_default());
  ASSERT_FALSE(service_->reload({{"default", default_queues}}));
  ASSERT_TRUE(has_default());
  submit(session, cluster(1, 1));
  settle(121'000);
  ASSERT_THAT(heard(session, TENON_RM_CHECK), SizeIs(1));
  EXPECT_EQ(heard(session, TENON_RM_CHECK)[0].partition, "default");
}

TEST_F(Check, RefusedTriedOnAnotherNode) {
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

TEST_F(Check, LateUndoneAfterItsTimeAndAskedAgain) {
  open(manual());
  const uint64_t session = enter("rm-1", TENON_RM_WANTS_PROPOSALS);
  submit(session, cluster(1, 1));
  settle(1'000);
  ASSERT_THAT(heard(session, TENON_RM_CHECK), SizeIs(1));
  settle(1'000 + service_->limits().check_deadline_ms);
  EXPECT_THAT(heard(session, TENON_RM_CHECK_OVER), SizeIs(1));
  EXPECT_EQ(service_->counters().kernel.proposals_late, 1U);
  EXPECT_EQ(service_->counters().kernel.proposals_refused, 0U);
  const auto checks = heard(session, TENON_RM_CHECK);
  ASSERT_THAT(checks, SizeIs(2)) << "the node is not remembered as refused";
  requests late;
  late.checked(checks[0].number, true);
  submit(session, late);
  settle(2'100);
  EXPECT_THAT(heard(session, TENON_RM_ALLOCATION), SizeIs(0));
  requests yes;
  yes.checked(checks[1].number, true);
  submit(session, yes);
  settle(2'200);
  EXPECT_THAT(heard(session, TENON_RM_ALLOCATION), SizeIs(1));
}

TEST_F(Check, TimeRunsFromWhenTheRmHasIt) {
  open(manual());
  fake_.send_at_once(false);
  const uint64_t session = enter("rm-1", TENON_RM_WANTS_PROPOSALS);
  submit(session, cluster(1, 2));
  settle(1'000);
  const auto number_of = [&](const std::string &key) {
    for (const delivered &one : fake_.taken(session))
      if (one.what.type == TENON_RM_CHECK && one.what.key == key) return one.number;
    return uint64_t{0};
  };
  settle(60'000);
  EXPECT_THAT(heard(session, TENON_RM_CHECK_OVER), SizeIs(0)) << "nobody could have answered";
  fake_.sent(session, "default", number_of("ask-0"));
  settle(60'500);
  settle(61'499);
  EXPECT_THAT(heard(session, TENON_RM_CHECK_OVER), SizeIs(0));
  settle(61'500);
  ASSERT_THAT(heard(session, TENON_RM_CHECK_OVER), SizeIs(1));
  EXPECT_EQ(heard(session, TENON_RM_CHECK_OVER)[0].key, "ask-0");
}

// One that answers in a tenth of the time what it is asked, one after the other, is late with nothing.
TEST_F(Check, WindowBoundsWhatIsOpen) {
  open(manual());
  uint64_t session = 0;
  interface::registration_request who;
  who.extra_config = {{"checks.window", "5"}};
  ASSERT_TRUE(fake_.enter(who, TENON_RM_WANTS_PROPOSALS, session).good);
  submit(session, cluster(8, 80));
  int64_t now_ms = 1'000;
  settle(now_ms);
  for (size_t answered = 0; answered < 80; ++answered) {
    const auto checks = heard(session, TENON_RM_CHECK);
    ASSERT_EQ(checks.size(), std::min<size_t>(answered + 5, 80));
    requests yes;
    yes.checked(checks[answered].number, true);
    submit(session, yes);
    settle(now_ms += service_->limits().check_deadline_ms / 10);
  }
  EXPECT_THAT(heard(session, TENON_RM_ALLOCATION), SizeIs(80));
  EXPECT_THAT(heard(session, TENON_RM_CHECK_OVER), SizeIs(0));
}

TEST_F(Check, WindowOfTheDeploymentIsTheMost) {
  scheduler_options options = manual();
  options.limits = host::running_limits();
  options.limits->check_window = 3;
  open(std::move(options));
  uint64_t session = 0;
  interface::registration_request who;
  who.extra_config = {{"checks.window", "50"}};
  ASSERT_TRUE(fake_.enter(who, TENON_RM_WANTS_PROPOSALS, session).good);
  submit(session, cluster(2, 20));
  settle(1'000);
  EXPECT_THAT(heard(session, TENON_RM_CHECK), SizeIs(3));
}

// Its own window holds up nobody else.
TEST_F(Check, WindowThatIsFullHoldsUpItsRmAlone) {
  open(manual());
  uint64_t session = 0;
  interface::registration_request who;
  who.extra_config = {{"checks.window", "1"}};
  ASSERT_TRUE(fake_.enter(who, TENON_RM_WANTS_PROPOSALS, session).good);
  const uint64_t other = enter("rm-2");
  submit(session, cluster(1, 9));
  submit(other, cluster(1, 9));
  settle(1'000);
  EXPECT_THAT(heard(session, TENON_RM_CHECK), SizeIs(1));
  EXPECT_THAT(heard(other, TENON_RM_ALLOCATION), SizeIs(9));
}

// -- Questions about reservations. --

constexpr char two_queues[] = R"(
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: default
          - name: rich
          - name: poor
            resources: { guaranteed: { vcore: 20 } }
            properties: { preemption.delay: 1ms }
)";

class ReservationCheck : public Check {
 protected:
  // Two nodes, each of which one allocation fills.
  void begin(const std::map<std::string, std::string> &extra = {{"checks.reservations", "true"}}) {
    open(manual({{"default", two_queues}}));
    interface::registration_request who;
    who.extra_config = extra;
    ASSERT_TRUE(fake_.enter(who, TENON_RM_WANTS_PROPOSALS, session_).good);
    requests batch;
    batch.application("rich", "root.rich").application("poor", "root.poor").application("other", "root.poor");
    for (const char *node : {"node-0", "node-1"}) batch.node(node, {{"vcore", 10'000}});
    for (const char *key : {"a", "b"}) batch.ask({.application = "rich", .key = key, .resources = {{"vcore", 10'000}}});
    submit(session_, batch);
    settle(now_ms_);
    for (size_t i = 0; i < 2; ++i) say(heard(session_, TENON_RM_CHECK).at(i), true);
    ASSERT_THAT(heard(session_, TENON_RM_ALLOCATION), SizeIs(2));
  }
  void claim(const std::string &key, const std::string &application = "poor") {
    requests more;
    more.ask({.application = application, .key = key, .resources = {{"vcore", 10'000}}, .may_preempt_others = true});
    submit(session_, more);
    settle(now_ms_ += 10);
    settle(now_ms_ += 10);
  }
  void say(const interface::heard &check, bool accepted) {
    requests answer;
    answer.checked(check.number, accepted, accepted ? "" : "no volume there");
    submit(session_, answer);
    settle(now_ms_ += 10);
  }
  [[nodiscard]] std::vector<interface::heard> questions() const {
    std::vector<interface::heard> out = heard(session_, TENON_RM_CHECK);
    std::erase_if(out, [](const interface::heard &one) { return one.allocate; });
    return out;
  }

  uint64_t session_ = 0;
  int64_t now_ms_ = 1'000;
};

TEST_F(ReservationCheck, ComesBeforeVictimsEndAndARefusalSparesThem) {
  begin();
  claim("claim");
  ASSERT_THAT(questions(), SizeIs(1));
  EXPECT_EQ(questions()[0].key, "claim");
  EXPECT_EQ(questions()[0].placeholder_key, "");
  EXPECT_THAT(heard(session_, TENON_RM_RELEASE), SizeIs(0));
  say(questions()[0], false);
  ASSERT_THAT(heard(session_, TENON_RM_CHECK_OVER), SizeIs(1));
  EXPECT_THAT(heard(session_, TENON_RM_CHECK_OVER)[0].words, HasSubstr("no volume there"));
  ASSERT_THAT(questions(), SizeIs(2)) << "another node is looked at at once";
  EXPECT_NE(questions()[1].node, questions()[0].node);
  EXPECT_THAT(heard(session_, TENON_RM_RELEASE), SizeIs(0));
  say(questions()[1], false);
  settle(now_ms_ += 60'000);
  EXPECT_THAT(heard(session_, TENON_RM_RELEASE), SizeIs(0)) << "the RM refused both";
  EXPECT_THAT(questions(), SizeIs(2));
  requests again;
  again.check_again("poor");
  submit(session_, again);
  settle(now_ms_ += 60'000);
  ASSERT_THAT(questions(), SizeIs(3));
  say(questions()[2], true);
  ASSERT_THAT(heard(session_, TENON_RM_RELEASE), SizeIs(1));
}

TEST_F(ReservationCheck, WithoutAnswerIsOverAndOtherAsksGoOn) {
  begin({{"checks.reservations", "true"}, {"checks.window", "1"}});
  claim("claim");
  claim("other", "other");
  ASSERT_THAT(questions(), SizeIs(1)) << "no more than the window has";
  const interface::heard silent = questions()[0];
  settle(now_ms_ += 2 * service_->limits().check_deadline_ms);
  ASSERT_THAT(heard(session_, TENON_RM_CHECK_OVER), SizeIs(1));
  for (int i = 0; i < 40 && questions().size() == 1; ++i) settle(now_ms_ += 1'000);
  ASSERT_THAT(questions(), SizeIs(2));
  EXPECT_NE(questions()[1].key, silent.key);
  say(questions()[1], true);
  EXPECT_THAT(heard(session_, TENON_RM_RELEASE), SizeIs(1));
  say(silent, true);
  EXPECT_THAT(heard(session_, TENON_RM_RELEASE), SizeIs(1)) << "that answer is late";
}

TEST_F(ReservationCheck, AskedAgainAfterTheConnectionBroke) {
  begin();
  claim("claim");
  ASSERT_THAT(questions(), SizeIs(1));
  fake_.signal(session_, TENON_RM_LOST);
  settle(now_ms_ += 10);
  fake_.signal(session_, TENON_RM_BACK);
  settle(now_ms_ += 10);
  const interface::heard again = questions().back();
  EXPECT_NE(again.number, questions()[0].number);
  say(again, true);
  EXPECT_THAT(heard(session_, TENON_RM_RELEASE), SizeIs(1));
}

TEST_F(ReservationCheck, IsNotForThoseThatDidNotRegisterForIt) {
  begin({});
  claim("claim");
  EXPECT_THAT(questions(), SizeIs(0));
  EXPECT_THAT(heard(session_, TENON_RM_RELEASE), SizeIs(1));
}

TEST_F(Check, AwayAndBackTimeBeginsAnew) {
  open(manual());
  fake_.acknowledge_at_once(false);
  const uint64_t session = enter("rm-1", TENON_RM_WANTS_PROPOSALS);
  submit(session, cluster(1, 1));
  settle(1'000);
  ASSERT_THAT(heard(session, TENON_RM_CHECK), SizeIs(1));
  fake_.signal(session, TENON_RM_LOST);
  settle(100'000);
  EXPECT_THAT(heard(session, TENON_RM_CHECK_OVER), SizeIs(0));
  fake_.signal(session, TENON_RM_BACK);
  settle(100'999);
  const auto checks = heard(session, TENON_RM_CHECK);
  ASSERT_THAT(checks, SizeIs(2)) << "told again";
  EXPECT_EQ(checks[0].number, checks[1].number);
  settle(101'000);
  EXPECT_THAT(heard(session, TENON_RM_CHECK_OVER), SizeIs(1));
}

}  // namespace
}  // namespace tenon::service::testing
