// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "requests.hpp"
#include "rm_client.hpp"
#include "tenon/rm/tenon.hpp"

namespace tenon::rm {
namespace {

using interface::copy_of;
using interface::heard;
using interface::requests;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class Embedded : public ::testing::Test {
 protected:
  handlers all() {
    handlers on;
    on.answered = [this](const tenon_rm_message &m) { keep(m); };
    on.ended = [this](uint32_t why) {
      const std::lock_guard lock(mutex_);
      ended_ = why;
      changed_.notify_all();
    };
    return on;
  }
  void keep(const tenon_rm_message &m) {
    const std::lock_guard lock(mutex_);
    heard_.push_back(copy_of(m));
    changed_.notify_all();
  }
  std::vector<heard> of_type(uint32_t type) {
    const std::lock_guard lock(mutex_);
    std::vector<heard> out;
    for (const heard &one : heard_)
      if (one.type == type) out.push_back(one);
    return out;
  }
  bool wait(const std::function<bool()> &done) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), done);
  }
  static requests cluster(int asks) {
    requests out;
    out.application("app-1", "", {{"namespace", "default"}})
        .node("node-1", {{"vcore", 10'000}})
        .node("node-2", {{"vcore", 10'000}});
    for (int i = 0; i < asks; ++i) out.ask({.key = "ask-" + std::to_string(i)});
    return out;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<heard> heard_;
  uint32_t ended_ = 0;
};

TEST_F(Embedded, FromNothingStepByStep) {
  scheduler with({.manual = true, .start_ms = 1'000});
  resource_manager rm(with, {.name = "rm-1"}, all());
  rm.submit(cluster(3).messages());
  EXPECT_THAT(heard_, SizeIs(0)) << "nothing moves but by step";
  EXPECT_EQ(with.step(2'000, 2), 2U);
  EXPECT_THAT(of_type(TENON_RM_ALLOCATION), SizeIs(2));
  EXPECT_EQ(with.step(2'000, 2), 1U);
  EXPECT_THAT(of_type(TENON_RM_ALLOCATION), SizeIs(3));
}

TEST_F(Embedded, WithThreadsAndGoodbye) {
  scheduler with;
  resource_manager rm(with, {.name = "rm-1"}, all());
  rm.submit(cluster(20).messages());
  ASSERT_TRUE(wait([&] {
    return std::count_if(heard_.begin(), heard_.end(), [](const heard &h) { return h.type == TENON_RM_ALLOCATION; }) ==
           20;
  }));
  rm.leave();
  EXPECT_TRUE(wait([&] { return ended_ == TENON_RM_ENDED_SHUTDOWN; }));
  EXPECT_THROW(rm.submit(cluster(1).messages()), failed);
}

TEST_F(Embedded, HandlersOfEachKindAreCalled) {
  scheduler with({.manual = true, .start_ms = 1'000});
  std::vector<std::string> assumed, forgotten, states, asked;
  handlers on = all();
  on.assumed = [&](const tenon_rm_assumption &a) { assumed.push_back(copy_of(*header(a)).key); };
  on.forgotten = [&](const tenon_rm_assumption &a) { forgotten.push_back(copy_of(*header(a)).key); };
  on.scheduling_state = [&](const tenon_rm_scheduling_state &s) {
    states.push_back(std::string(view(s.key)) + " " + std::to_string(s.state));
  };
  on.may_run = [&](const tenon_rm_predicate &q) {
    asked.emplace_back(view(q.node));
    return view(q.node) != "node-1";
  };
  on.state_dump = [] { return std::string("all is well"); };
  resource_manager rm(with, {.name = "rm-1"}, std::move(on));
  requests batch = cluster(1);
  batch.ask({.key = "huge", .resources = {{"vcore", 99'000}}});
  rm.submit(batch.messages());
  with.step(2'000);
  with.step(5'000);
  ASSERT_THAT(of_type(TENON_RM_ALLOCATION), SizeIs(1));
  EXPECT_EQ(of_type(TENON_RM_ALLOCATION)[0].node, "node-2");
  EXPECT_THAT(asked, ::testing::Contains("node-1"));
  EXPECT_THAT(assumed, ::testing::ElementsAre("ask-0"));
  EXPECT_THAT(states, ::testing::Contains("ask-0 2"));
  EXPECT_THAT(states, ::testing::Contains("huge 4"));
  EXPECT_THAT(with.dump(), HasSubstr("all is well"));
  requests let_go;
  let_go.release("app-1", "ask-0");
  rm.submit(let_go.messages());
  with.step(6'000);
  EXPECT_THAT(forgotten, ::testing::ElementsAre("ask-0"));
}

TEST_F(Embedded, WhatTheRmReportedIsNothingToStart) {
  scheduler with({.manual = true, .start_ms = 1'000});
  std::vector<std::string> started, known, assumed, states;
  handlers on;
  on.allocated = [&](const tenon_rm_allocation &a) { started.emplace_back(view(a.key)); };
  on.recovered = [&](const tenon_rm_allocation &a) { known.emplace_back(view(a.key)); };
  on.assumed = [&](const tenon_rm_assumption &a) { assumed.emplace_back(view(a.key)); };
  on.scheduling_state = [&](const tenon_rm_scheduling_state &s) { states.emplace_back(view(s.key)); };
  resource_manager rm(with, {.name = "rm-1"}, std::move(on));
  requests batch;
  batch.application("app-1", "", {{"namespace", "default"}})
      .node("node-1", {{"vcore", 10'000}}, {}, {{.key = "old-1"}})
      .allocation({.key = "old-2"}, "node-1")
      .ask({.key = "new-1"});
  rm.submit(batch.messages());
  with.step(2'000);
  EXPECT_THAT(known, ::testing::ElementsAre("old-1", "old-2"));
  EXPECT_THAT(started, ::testing::ElementsAre("new-1"));
  EXPECT_THAT(assumed, ::testing::ElementsAre("new-1"));
  EXPECT_THAT(states, ::testing::ElementsAre("new-1"));
}

TEST_F(Embedded, HeldUntilItSaysThatItsRecoveryIsDone) {
  scheduler with({.manual = true, .start_ms = 1'000});
  resource_manager rm(with, {.name = "rm-1", .hold = true}, all());
  rm.submit(cluster(1).messages());
  EXPECT_EQ(with.step(2'000), 0U);
  EXPECT_THAT(of_type(TENON_RM_ALLOCATION), SizeIs(0));
  EXPECT_TRUE(rm.recovery_done());
  EXPECT_EQ(with.step(2'000), 1U);
  EXPECT_THAT(of_type(TENON_RM_ALLOCATION), SizeIs(1));
}

TEST_F(Embedded, AJournalOnAFullDiskIsReportedAndNothingElseEnds) {
  scheduler with({.manual = true, .start_ms = 1'000, .journal = "/dev/full"});
  resource_manager rm(with, {.name = "rm-1"}, all());
  rm.submit(cluster(1).messages());
  EXPECT_EQ(with.step(2'000), 1U);
  EXPECT_THAT(with.dump(), HasSubstr("\"journalFailure\":\"the journal cannot be written: No space left on device\""));
}

TEST_F(Embedded, WhatIfChangesNothing) {
  scheduler with({.manual = true, .start_ms = 1'000});
  resource_manager rm(with, {.name = "rm-1"}, all());
  rm.submit(cluster(1).messages());
  with.step(2'000);
  const std::string before = with.dump();
  const auto one = [](const std::string &vcore) {
    return R"({"applications": [{"application": "app-1", "asks": [{"key": "mine", "resources": {"vcore": )" + vcore +
           "}}]}]}";
  };
  for (int i = 0; i < 200; ++i)  // who steps shares no time with others
    EXPECT_THAT(with.what_if(one("1000")), HasSubstr(R"("outcome":"placed")"));
  EXPECT_EQ(with.dump(), before);
  requests real;
  real.ask({.key = "mine", .resources = {{"vcore", 10'001}}});
  EXPECT_THAT(with.what_if(one("10001")), HasSubstr(R"("outcome":"waits")"));
  rm.submit(real.messages());
  EXPECT_EQ(with.step(3'000), 0U);
  try {
    static_cast<void>(with.what_if(one("[]")));
    FAIL() << "it was taken";
  } catch (const failed &why) {
    EXPECT_EQ(why.status, TENON_INVALID_CONFIG);
    EXPECT_THAT(why.what(), HasSubstr("applications[0].asks[0].resources.vcore: "));
  }
}

TEST_F(Embedded, WhatIfSaysThatNothingIsPlacedBeforeRecoveryIsDone) {
  scheduler with({.manual = true, .start_ms = 1'000});
  resource_manager rm(with, {.name = "rm-1", .hold = true}, all());
  rm.submit(cluster(1).messages());
  with.step(2'000);
  const std::string question = R"({"applications": [{"application": "app-1", "asks": [{"resources": {"vcore": 1}}]}]})";
  EXPECT_THAT(with.what_if(question), HasSubstr("nothing is placed for RM 'rm-1' until its recovery is declared done"));
  rm.recovery_done();
  with.step(2'000);
  EXPECT_THAT(with.what_if(question), ::testing::Not(HasSubstr("nothing is placed for RM")));
}

TEST_F(Embedded, EventsOfTheRmAlone) {
  scheduler with;
  std::vector<std::string> objects;
  handlers on = all();
  on.event = [&](const tenon_rm_event &e) {
    const std::lock_guard lock(mutex_);
    objects.emplace_back(view(e.object));
    changed_.notify_all();
  };
  resource_manager rm(with, {.name = "rm-1"}, std::move(on));
  resource_manager other(with, {.name = "rm-2"}, {});
  rm.submit(cluster(1).messages());
  requests others;
  others.application("app-2", "", {{"namespace", "default"}});
  other.submit(others.messages());
  const auto has = [&](const char *one) { return std::find(objects.begin(), objects.end(), one) != objects.end(); };
  const bool all_came = wait([&] { return has("app-1") && has("node-1"); });
  const std::lock_guard lock(mutex_);
  EXPECT_TRUE(all_came) << ::testing::PrintToString(objects);
  EXPECT_THAT(objects, ::testing::Not(::testing::Contains("app-2")));
}

TEST_F(Embedded, ConfigurationReloadedWholeOrNotAtAll) {
  const std::string two =
      "partitions: [ { name: default, queues: [ { name: root, submitacl: '*', queues: [ { name: a }, { name: b } ] } ] "
      "} ]";
  const std::string bad = "partitions: [ { name: default, queues: [ { name: root, submitacl: '*', queus: [] } ] } ]";
  scheduler with({.manual = true, .queues = two});
  resource_manager rm(with, {.name = "rm-1"}, all());
  try {
    with.reload(bad);
    FAIL() << "it was taken";
  } catch (const failed &why) {
    EXPECT_THAT(why.what(), HasSubstr("unknown key 'queus'"));
  }
  EXPECT_THAT(with.dump(), HasSubstr("root.b"));
  with.reload(
      "partitions: [ { name: default, queues: [ { name: root, submitacl: '*', queues: [ { name: a }, { name: c } ] } ] "
      "} ]");
  EXPECT_THAT(with.dump(), HasSubstr("root.c"));
}

TEST_F(Embedded, RmConfiguresItselfAnswered) {
  scheduler with({.manual = true});
  handlers on = all();
  std::vector<uint32_t> outcomes;
  on.configured = [&](const tenon_rm_configuration_answer &a) { outcomes.push_back(a.success); };
  resource_manager rm(with, {.name = "rm-1"}, std::move(on));
  requests batch;
  batch.configuration(
      "rm-1", "partitions: [ { name: default, queues: [ { name: root, submitacl: '*', queues: [ { name: z } ] } ] } ]");
  batch.configuration("rm-1", "partitions: 5");
  rm.submit(batch.messages());
  with.step(1);
  EXPECT_THAT(outcomes, ::testing::ElementsAre(1U, 0U));
  EXPECT_THAT(with.dump(), HasSubstr("root.z"));
}

TEST_F(Embedded, DeploymentThatIsWrongRefusedWithItsPlace) {
  const auto file = std::filesystem::temp_directory_path() / "tenon-libtenon-test.yaml";
  std::ofstream(file) << "apiVersion: tenon/v1\noutbox: { hihg: 5 }\n";
  try {
    const scheduler with({.deployment = file.string()});
    FAIL() << "it was taken";
  } catch (const failed &why) {
    EXPECT_EQ(why.status, TENON_INVALID_CONFIG);
    EXPECT_THAT(why.what(), HasSubstr(file.string() + ":2:11: unknown key 'hihg'"));
  }
  std::filesystem::remove(file);
}

TEST_F(Embedded, TwoSchedulersInOneProcessKnowNothingOfEachOther) {
  scheduler one({.manual = true}), two({.manual = true});
  resource_manager a(one, {.name = "rm-1"}, all()), b(two, {.name = "rm-1"}, {});
  a.submit(cluster(1).messages());
  b.submit(cluster(5).messages());
  EXPECT_EQ(one.step(1), 1U);
  EXPECT_EQ(two.step(1), 5U);
  EXPECT_THAT(of_type(TENON_RM_ALLOCATION), SizeIs(1));
}

}  // namespace
}  // namespace tenon::rm
