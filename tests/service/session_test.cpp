// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A session from registration to answers, by hand and with threads.
#include <atomic>
#include <memory>
#include <set>

#include "service_case.hpp"

namespace tenon::service::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class Session : public service_case {};

TEST_F(Session, AsksArePlacedAnswersHaveEverything) {
  open(manual());
  const uint64_t session = enter();
  requests batch;
  batch.application("app-1").node("node-1", {{"vcore", 10'000}, {"memory", 1000}});
  batch.ask({.key = "ask-1",
             .resources = {{"vcore", 1000}, {"memory", 10}},
             .priority = 5,
             .tags = {{"kubernetes.io/meta/namespace", "ns"}},
             .task_group = "tg"});
  submit(session, batch);
  EXPECT_EQ(service_->step(10), 1U);
  EXPECT_THAT(heard(session, TENON_RM_ACCEPTED_APPLICATION), SizeIs(1));
  EXPECT_THAT(heard(session, TENON_RM_ACCEPTED_NODE), SizeIs(1));
  const auto placed = heard(session, TENON_RM_ALLOCATION);
  ASSERT_THAT(placed, SizeIs(1));
  EXPECT_EQ(placed[0].key, "ask-1");
  EXPECT_EQ(placed[0].application, "app-1");
  EXPECT_EQ(placed[0].node, "node-1");
  EXPECT_EQ(placed[0].queue, "root.default");
  EXPECT_EQ(placed[0].partition, "default");
  EXPECT_EQ(placed[0].task_group, "tg");
  EXPECT_EQ(placed[0].priority, 5);
  EXPECT_THAT(placed[0].uuid, SizeIs(36));
  EXPECT_THAT(placed[0].resources, ElementsAre(std::pair("memory", 10), std::pair("vcore", 1000)));
  EXPECT_EQ(placed[0].tags.at("kubernetes.io/meta/namespace"), "ns");
}

TEST_F(Session, AnswersAreNumberedWithoutGaps) {
  open(manual());
  const uint64_t session = enter();
  submit(session, cluster(10, 600));
  settle();
  uint64_t expected = 1;
  for (const delivered &one : fake_.taken(session)) EXPECT_EQ(one.number, expected++) << text_of(one.what);
  EXPECT_THAT(heard(session, TENON_RM_ALLOCATION), SizeIs(100));
}

TEST_F(Session, ReleaseByUuidAloneThatOneEnds) {
  open(manual());
  const uint64_t session = enter();
  requests batch = cluster(1, 0);
  batch.ask({.key = "many", .max_allocations = 3});
  submit(session, batch);
  settle();
  const auto placed = heard(session, TENON_RM_ALLOCATION);
  ASSERT_THAT(placed, SizeIs(3));
  requests let_go;
  let_go.release("app-1", "", placed[1].uuid);
  submit(session, let_go);
  settle();
  const auto released = heard(session, TENON_RM_RELEASE);
  ASSERT_THAT(released, SizeIs(1));
  EXPECT_EQ(released[0].uuid, placed[1].uuid);
  EXPECT_EQ(released[0].number, TENON_TERMINATION_STOPPED_BY_RM);
  submit(session, let_go);  // again: it is not there any more
  settle();
  EXPECT_THAT(heard(session, TENON_RM_RELEASE), SizeIs(1));
}

TEST_F(Session, ReportedAllocationKeepsTheNameThatTheRmGave) {
  open(manual());
  const uint64_t session = enter();
  requests batch;
  batch.application("app-1").node("node-1", {{"vcore", 10'000}}, {}, {{.key = "old", .uuid = "the-rm-says-so"}});
  submit(session, batch);
  settle();
  ASSERT_THAT(heard(session, TENON_RM_ALLOCATION), SizeIs(1));
  EXPECT_EQ(heard(session, TENON_RM_ALLOCATION)[0].uuid, "the-rm-says-so");
  requests let_go;
  let_go.release("app-1", "", "the-rm-says-so");
  submit(session, let_go);
  settle();
  ASSERT_THAT(heard(session, TENON_RM_RELEASE), SizeIs(1));
  EXPECT_EQ(heard(session, TENON_RM_RELEASE)[0].uuid, "the-rm-says-so");
}

TEST_F(Session, EveryAllocationOfAReportKeepsItsUuidAndNoNewOneRepeatsIt) {
  auto how = manual();
  open(how);
  uint64_t session = enter();
  requests batch = cluster(1, 4);
  submit(session, batch);
  settle();
  const auto before = heard(session, TENON_RM_ALLOCATION);
  ASSERT_THAT(before, SizeIs(4));
  for (const bool one_by_one : {false, true}) {
    const size_t seen = fake_.taken(session).size();  // sessions are numbered from 1 again
    const auto heard_now = [&](uint32_t type) {
      std::vector<interface::heard> out;
      const auto all = fake_.taken(session);
      for (size_t i = seen; i < all.size(); ++i)
        if (all[i].what.type == type) out.push_back(all[i].what);
      return out;
    };
    open(how);  // as after a restart
    session = enter();
    // Unchanged ones, one that the RM named, an independent one and one of others.
    std::vector<interface::existing_of> all;
    for (const auto &one : before) all.push_back({.key = one.key, .uuid = one.uuid});
    all.insert(all.begin() + 1, {.application = "", .key = "alone", .uuid = "alone-uuid"});
    all.insert(all.begin() + 2,
               {.application = "", .key = "foreign", .uuid = "foreign-uuid", .tags = {{"foreign", "static"}}});
    all.push_back({.key = "named", .uuid = "named-uuid"});
    requests report;
    report.application("app-1");
    report.node("node-0", {{"vcore", 10'000}}, {}, one_by_one ? std::vector<interface::existing_of>() : all);
    if (one_by_one)
      for (const interface::existing_of &one : all) report.allocation(one, "node-0");
    submit(session, report);
    settle();
    std::set<std::string> reported, told;
    for (const interface::existing_of &one : all)
      if (one.key != "foreign") reported.insert(one.uuid);
    for (const auto &one : heard_now(TENON_RM_ALLOCATION)) told.insert(one.uuid);
    EXPECT_EQ(told, reported) << one_by_one;
    requests more;
    for (const auto &one : before) more.release("app-1", one.key, one.uuid);
    submit(session, more);
    settle(2'000);
    EXPECT_THAT(heard_now(TENON_RM_RELEASE), SizeIs(4)) << "what is released is free";
    requests again;
    for (const auto &one : before) again.ask({.key = one.key});
    submit(session, again);
    settle(3'000);
    std::set<std::string> fresh;
    for (const auto &one : heard_now(TENON_RM_ALLOCATION)) fresh.insert(one.uuid);
    EXPECT_EQ(fresh.size(), reported.size() + 4) << "a UUID that was reported is given again";
  }
}

TEST_F(Session, AllocationsOfOneKeyThatAreReportedOneByOneAreToldApartByUuid) {
  open(manual());
  const uint64_t session = enter();
  requests report = cluster(2, 0);
  report.allocation({.key = "many", .uuid = "first"}, "node-0").allocation({.key = "many", .uuid = "second"}, "node-0");
  report.allocation({.key = "many", .uuid = "third"}, "node-1");
  report.allocation({.key = "many", .uuid = "second", .resources = {{"vcore", 2000}}}, "node-0");
  submit(session, report);
  settle();
  EXPECT_THAT(heard(session, TENON_RM_ALLOCATION), SizeIs(3));
  service_->call([&](cycle_access &on) {
    const auto nodes = on.state().snapshot().partitions.at(0).nodes;
    EXPECT_EQ(nodes.at(0).allocated, (amount_map{{"vcore", 3000}}));
    EXPECT_EQ(nodes.at(1).allocated, (amount_map{{"vcore", 1000}}));
  });
  requests let_go;
  let_go.release("app-1", "many", "first");
  submit(session, let_go);
  settle();
  service_->call([&](cycle_access &on) {
    EXPECT_EQ(on.state().snapshot().partitions.at(0).nodes.at(0).allocated, (amount_map{{"vcore", 2000}}));
  });
}

TEST_F(Session, MalformedRequestRefusedInWordsAndTheOnesBeforeTaken) {
  open(manual());
  const uint64_t session = enter();
  requests batch;
  batch.application("app-1").ask({.key = std::string(2'000, 'k')}).application("app-2");
  const auto out = fake_.submit(session, batch.messages());
  EXPECT_EQ(out.status, TENON_INVALID_CONFIG);
  EXPECT_EQ(out.accepted, 1U);
  EXPECT_THAT(out.words, HasSubstr("message 1: ask: key: want at most 1024 bytes, have 2000"));
  settle();
  EXPECT_THAT(heard(session, TENON_RM_ACCEPTED_APPLICATION), SizeIs(1));
}

TEST_F(Session, WithThreadsEverythingArrives) {
  open(running());
  const uint64_t session = enter();
  submit(session, cluster(10, 100));
  EXPECT_TRUE(fake_.wait([&] { return heard(session, TENON_RM_ALLOCATION).size() == 100; }));
  EXPECT_EQ(status().waiting_requests, 0U);
}

TEST_F(Session, AClockThatIsSetMovesNoTimerAndStopsNothing) {
  constexpr int64_t hour_ms = 3'600'000;
  struct clocks {
    std::atomic<int64_t> wall{1'700'000'000'000}, steady{5'000};
  };
  const auto set = std::make_shared<clocks>();  // the scheduler, which outlives this scope, reads them
  auto &[wall, steady] = *set;
  auto how = running();
  how.clock = {[set] { return set->wall.load(); }, [set] { return set->steady.load(); }};
  open(std::move(how));
  const uint64_t session = enter();
  requests batch = cluster(1, 0);
  batch.ask({.key = "timed", .timeout_ms = hour_ms});
  submit(session, batch);
  ASSERT_TRUE(fake_.wait([&] { return heard(session, TENON_RM_ALLOCATION).size() == 1; }));
  size_t placed = 1;
  int64_t begun = 0;
  service_->call([&](cycle_access &on) { begun = on.now_ms(); });
  for (const int64_t step : {5 * hour_ms, -20 * hour_ms, 15 * hour_ms}) {
    wall += step;
    steady += 1'000;
    requests more;
    more.ask({.key = "after-" + std::to_string(placed)});
    submit(session, more);
    ASSERT_TRUE(fake_.wait([&] { return heard(session, TENON_RM_ALLOCATION).size() == placed + 1; }));
    ++placed;
    service_->call([&](cycle_access &on) { EXPECT_LT(on.now_ms(), begun + 10'000); });
    EXPECT_EQ(service_->counters().clock_steps, placed - 1);
  }
  EXPECT_THAT(heard(session, TENON_RM_RELEASE), SizeIs(0));
  steady += hour_ms;
  wall += hour_ms;
  EXPECT_TRUE(fake_.wait([&] { return heard(session, TENON_RM_RELEASE).size() == 1; })) << "its time is over";
  EXPECT_EQ(service_->counters().clock_steps, placed - 1) << "time that passes is no step";
}

TEST_F(Session, UnknownGroupRefusedWithThoseThatAreThere) {
  open(manual({{"default", default_queues}, {"batch", default_queues}}));
  uint64_t session = 0;
  interface::registration_request request;
  request.policy_group = "bach";
  const auto out = fake_.enter(request, 0, session);
  EXPECT_EQ(out.status, TENON_INVALID_CONFIG);
  EXPECT_THAT(out.words, HasSubstr("batch, default"));
  EXPECT_THAT(out.words, HasSubstr("did you mean 'batch'?"));
}

}  // namespace
}  // namespace tenon::service::testing
