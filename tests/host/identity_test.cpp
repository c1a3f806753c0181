// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Groups of users: what is asked of a source, when, and what becomes of its answers. Time is the test's.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "fixture_folder.hpp"
#include "refusal_matchers.hpp"
#include "tenon/builtin/policy_source.hpp"
#include "tenon/host/identity_resolver.hpp"

namespace tenon::host {
namespace {

using ::testing::ElementsAre;
using testing::fixture_folder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A source in the test: user "x" is in group "x-group"; whose name begins with "no" is not there.
struct scripted_source : bound_policy {
  std::vector<std::string> asked;
  std::promise<void> *hold = nullptr;  // the next question waits for it
  std::promise<void> *reached = nullptr;

  scripted_source() {
    static constexpr tenon_identity_v1 table{sizeof table, 0, resolve};
    name = "scripted";
    instance = reinterpret_cast<tenon_instance *>(this);
    identity = &table;
  }
  static tenon_status resolve(tenon_instance *self, const tenon_resolve_in *in, tenon_resolve_out *out) {
    auto &source = *reinterpret_cast<scripted_source *>(self);
    EXPECT_EQ(current_role(), thread_role::io);
    const std::string user(in->user.data, in->user.length);
    source.asked.push_back(user);
    if (source.hold != nullptr) {
      source.reached->set_value();
      std::exchange(source.hold, nullptr)->get_future().wait();
    }
    if (user.starts_with("no")) return TENON_DECLINED;
    const std::string group = user + "-group";
    std::copy(group.begin(), group.end(), out->room);
    out->groups[0] = {out->room, group.size()};
    out->group_count = 1;
    out->room_length = group.size();
    return TENON_OK;
  }
};

class Resolver : public ::testing::Test {
 protected:
  void start(resolver_options options = {}) {
    auto source = std::make_unique<scripted_source>();
    source_ = source.get();
    options.clock_ms = [this] { return now_ms_.load(); };
    it_ = std::make_unique<identity_resolver>(std::move(source), options);
  }
  group_answer ask(const std::string &user, bool forced = false, std::vector<std::string_view> groups = {}) {
    std::promise<group_answer> answered;
    it_->resolve({user, groups, forced}, [&](const group_answer &answer) { answered.set_value(answer); });
    return answered.get_future().get();
  }
  // The source answers nothing from its next question on, until the promise that is given is kept.
  std::promise<void> &hold() {
    source_->hold = &held_;
    source_->reached = &reached_;
    return held_;
  }

  std::atomic<int64_t> now_ms_ = 5'000;
  scripted_source *source_ = nullptr;
  std::promise<void> held_, reached_;
  std::unique_ptr<identity_resolver> it_;
};

TEST_F(Resolver, GroupsOfTheRequestAreUsedAsTheyAre) {
  start();
  EXPECT_THAT(ask("alice", false, {"a", "b"}).groups, ElementsAre("a", "b"));
  EXPECT_THAT(source_->asked, IsEmpty());
}

TEST_F(Resolver, UsersThatTheKernelRefusesAreNotLookedUp) {
  start();
  for (const char *user : {"", "-x", "a b"}) {
    EXPECT_EQ(ask(user).problem, "");
    EXPECT_THAT(ask(user, true).groups, IsEmpty());
  }
  EXPECT_THAT(source_->asked, IsEmpty());
}

TEST_F(Resolver, UserThatIsFoundIsKeptForFiveMinutes) {
  start();
  for (const int64_t later_ms : {0, 299'999, 300'000}) {
    now_ms_ = 5'000 + later_ms;
    EXPECT_THAT(ask("alice").groups, ElementsAre("alice-group"));
  }
  EXPECT_THAT(source_->asked, ElementsAre("alice", "alice"));
  EXPECT_EQ(it_->counters().lookups, 2U);
  EXPECT_EQ(it_->counters().hits, 1U);
  EXPECT_EQ(it_->counters().failures, 0U);
}

TEST_F(Resolver, UserThatIsNotIsKeptForHalfAMinute) {
  start();
  EXPECT_EQ(ask("nobody").problem, "user resolution failed: no user nobody");
  now_ms_ += 29'999;
  EXPECT_EQ(ask("nobody").problem, "user resolution failed, cached data returned: no user nobody");
  now_ms_ += 1;
  EXPECT_EQ(ask("nobody").problem, "user resolution failed: no user nobody");
  EXPECT_EQ(it_->counters().failures, 2U);
}

TEST_F(Resolver, ForcedIsInNogroupRatherThanRefused) {
  start();
  EXPECT_THAT(ask("nobody", true).groups, ElementsAre("nogroup"));
  EXPECT_THAT(ask("nobody", true).groups, ElementsAre("nogroup"));
  EXPECT_THAT(ask("alice", true).groups, ElementsAre("alice-group"));
  EXPECT_EQ(ask("nobody").groups.size(), 0U);
}

TEST_F(Resolver, EqualUsersAtOnceShareOneLookup) {
  start();
  std::promise<void> &go = hold();
  std::atomic<int> answers = 0;
  std::promise<void> all;
  const auto count = [&](const group_answer &answer) {
    EXPECT_THAT(answer.groups, ElementsAre("alice-group"));
    if (++answers == 3) all.set_value();
  };
  for (int i = 0; i < 3; ++i) it_->resolve({"alice", {}, false}, count);
  EXPECT_EQ(answers, 0);
  go.set_value();
  all.get_future().wait();
  EXPECT_EQ(it_->counters().lookups, 1U);
}

TEST_F(Resolver, SlowSourceHoldsUpNothingThatIsKnown) {
  start();
  ask("alice");
  std::promise<void> &go = hold();
  std::promise<void> answered;
  it_->resolve({"bob", {}, false}, [&](const group_answer &) { answered.set_value(); });
  reached_.get_future().wait();
  EXPECT_THAT(ask("alice").groups, ElementsAre("alice-group"));
  EXPECT_THAT(ask("carol", false, {"g"}).groups, ElementsAre("g"));
  go.set_value();
  answered.get_future().wait();
}

TEST_F(Resolver, TooManyWaitingAreRefusedAtOnce) {
  start({.max_waiting = 2});
  std::promise<void> &go = hold();
  std::promise<void> last;
  it_->resolve({"a", {}, false}, [](const group_answer &) {});
  it_->resolve({"b", {}, false}, [&](const group_answer &) { last.set_value(); });
  EXPECT_THAT(ask("c").problem, HasSubstr("too many users are waiting"));
  EXPECT_THAT(ask("c", true).groups, ElementsAre("nogroup"));
  EXPECT_EQ(it_->counters().refused, 2U);
  go.set_value();
  last.get_future().wait();
  EXPECT_THAT(ask("c").groups, ElementsAre("c-group"));
}

TEST_F(Resolver, MoreUsersThanAreKeptTheFirstToEndGoes) {
  start({.max_users = 2});
  ask("a");
  now_ms_ += 1;
  ask("b");
  now_ms_ += 1;
  ask("nobody");  // ends soonest, but those before it went first
  EXPECT_THAT(source_->asked, ElementsAre("a", "b", "nobody"));
  ask("b");
  EXPECT_EQ(source_->asked.size(), 3U);
  ask("c");
  ask("b");
  EXPECT_EQ(source_->asked.size(), 4U) << "nobody went";
  ask("a");
  EXPECT_EQ(source_->asked.size(), 5U);
}

TEST_F(Resolver, DestroyedEveryRequestIsAnswered) {
  start();
  std::promise<void> &go = hold();
  std::vector<std::string> problems;
  const auto note = [&](const group_answer &answer) { problems.push_back(answer.problem); };
  it_->resolve({"a", {}, false}, note);
  reached_.get_future().wait();
  it_->resolve({"b", {}, false}, note);
  std::thread ending([&] { it_.reset(); });
  go.set_value();
  ending.join();
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0], "");
  EXPECT_THAT(problems[1], ::testing::AnyOf("", HasSubstr("the scheduler stops")));  // as far as it came
}

TEST_F(Resolver, FromManyThreadsEachIsAnsweredOnce) {
  start({.max_users = 3});
  std::atomic<int> answers = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i)
        it_->resolve({"user-" + std::to_string(i % 7), {}, false}, [&](const group_answer &) { ++answers; });
    });
  for (std::thread &thread : threads) thread.join();
  ask("last");
  EXPECT_EQ(answers, 800);
}

// Where the module lives, as its entry says.
class Directory : public ::testing::TestWithParam<const char *> {
 protected:
  Directory() {
    modules_.options.check_calls = true;
    modules_.options.on_fault = [this](const module_fault &fault) { faults_.push_back(fault.slot + " " + fault.text); };
    modules_.install("directory", {.interface = TENON_IDENTITY, .name = "directory"});
    auto opened = modules_.open({"directory"}, std::string("isolation: ") + GetParam());
    EXPECT_TRUE(opened) << opened.why().text();
    host_ = std::move(*opened);
    auto source = bind_identity(*host_, "directory");
    EXPECT_TRUE(source) << source.why().text();
    it_ = std::make_unique<identity_resolver>(std::move(*source));
  }
  group_answer ask(const std::string &user) {
    std::promise<group_answer> answered;
    it_->resolve({user, {}, false}, [&](const group_answer &answer) { answered.set_value(answer); });
    return answered.get_future().get();
  }

  fixture_folder modules_;
  std::vector<std::string> faults_;
  std::unique_ptr<module_host> host_;
  std::unique_ptr<identity_resolver> it_;
};

TEST_P(Directory, GroupsInTheOrderOfTheModule) {
  EXPECT_THAT(ask("alice").groups, ElementsAre("staff", "wheel"));
  EXPECT_THAT(ask("lonely").groups, IsEmpty());
  EXPECT_EQ(ask("lonely").problem, "");
}

TEST_P(Directory, MoreThanThereIsRoomForIsAskedAgain) {
  const auto groups = ask("many").groups;
  ASSERT_EQ(groups.size(), 300U);
  EXPECT_EQ(groups.back(), "a-group-with-a-long-name-299");
  EXPECT_THAT(faults_, IsEmpty());
}

TEST_P(Directory, NeverEnoughRoomIsGivenUp) { EXPECT_THAT(ask("greedy").problem, HasSubstr("too many groups")); }

TEST_P(Directory, NoAnswerSaysWhy) {
  EXPECT_THAT(ask("nobody").problem, HasSubstr("no user nobody"));
  EXPECT_THAT(ask("away").problem, HasSubstr("directory cannot be asked now: timeout"));
  EXPECT_THAT(faults_, IsEmpty());
}

TEST_P(Directory, FaultsAreFailuresAndCounted) {
  for (const char *user : {"broken", "wants"}) EXPECT_THAT(ask(user).problem, HasSubstr("gave INTERNAL"));
  EXPECT_THAT(faults_, ElementsAre("resolve gave INTERNAL", HasSubstr("names less")));
  if (GetParam() != std::string_view("process")) return;
  EXPECT_THAT(ask("outside").problem, HasSubstr("gave INTERNAL"));
  EXPECT_THAT(faults_.back(), HasSubstr("not in the room"));
}

INSTANTIATE_TEST_SUITE_P(InEachLane, Directory, ::testing::Values("none", "process"),
                         [](const auto &lane) { return std::string(lane.param); });

TEST(BindIdentity, TypeOfQueuesYamlNoneWhereItIsEmptyOrUnknown) {
  builtin_policy_source builtin;
  EXPECT_EQ((*bind_identity(builtin, "os"))->name, "os");
  EXPECT_EQ((*bind_identity(builtin, ""))->name, "none");
  EXPECT_FALSE(bind_identity(builtin, "directory")) << "nobody is let in by a name alone";
}

}  // namespace
}  // namespace tenon::host
