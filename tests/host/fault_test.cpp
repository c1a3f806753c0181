// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Modules that are at fault while they work, and hosts that call them wrongly: what the kernel sees, what is
// counted and what is said.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "fault_fixture.hpp"
#include "guards/call_guard.hpp"
#include "refusal_matchers.hpp"
#include "tenon/abi/predicate.h"

namespace tenon::host {
namespace {

using testing::Fault;
using testing::fixture_folder;
using testing::fixture_manifest;
using ::testing::HasSubstr;
using testing::refusal_parts;
using testing::refuses;
using ::testing::SizeIs;

TEST_F(Fault, SoundModuleHasNone) {
  open("good", module_kind::node_sort);
  const uint64_t calls = host_->counters().at(0).calls;
  EXPECT_EQ(keys(), TENON_OK);
  EXPECT_THAT(keys_, ::testing::ElementsAre(4, 5, 6, 77));
  EXPECT_THAT(faults_, SizeIs(0));
  EXPECT_EQ(host_->counters().at(0).calls, calls + 1);
  EXPECT_EQ(host_->counters().at(0).faults, 0);
}

TEST_F(Fault, StatusInternalIsCountedLoggedAndReported) {
  open("keys_fail", module_kind::node_sort, "on_fault: stop");
  EXPECT_EQ(keys(), TENON_INTERNAL);
  ASSERT_THAT(faults_, SizeIs(1));
  EXPECT_EQ(faults_[0].module, "test.keys-fail 1.0.0");
  EXPECT_EQ(faults_[0].interface, "tenon.node-sort/1");
  EXPECT_EQ(faults_[0].name, "fixture");
  EXPECT_EQ(faults_[0].slot, "keys");
  EXPECT_EQ(faults_[0].text, "gave INTERNAL");
  EXPECT_EQ(faults_[0].action, fault_action::stop);
  EXPECT_EQ(host_->counters().at(0).faults, 1);
  EXPECT_THAT(modules_.log(),
              HasSubstr("test.keys-fail 1.0.0: tenon.node-sort/1 'fixture': keys gave INTERNAL (on_fault: stop)"));
}

TEST_F(Fault, TheSameFaultAgainAndAgainIsCountedAndLoggedOnce) {
  open("keys_fail", module_kind::node_sort);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(keys(), TENON_INTERNAL);
  EXPECT_THAT(faults_, SizeIs(50));
  EXPECT_EQ(host_->counters().at(0).faults, 50);
  const std::string log = modules_.log(), words = "keys gave INTERNAL";
  EXPECT_EQ(log.find(words), log.rfind(words)) << log;
  EXPECT_THAT(log, HasSubstr(words));
}

TEST_F(Fault, UnknownStatusReachesTheKernelAsInternal) {
  open("keys_unknown_status", module_kind::node_sort);
  EXPECT_EQ(keys(), TENON_INTERNAL);
  ASSERT_THAT(faults_, SizeIs(1));
  EXPECT_EQ(faults_[0].text, "gave the unknown status 99");
}

TEST_F(Fault, CheckedCallsOfASoundModuleGiveTheSame) {
  modules_.options.check_calls = true;
  open("good", module_kind::node_sort);
  EXPECT_EQ(keys(), TENON_OK);
  EXPECT_THAT(keys_, ::testing::ElementsAre(4, 5, 6, 77));
}

TEST_F(Fault, UnknownVerdictIsAFault) {
  open("filter_unknown_verdict", module_kind::predicate);
  EXPECT_EQ(filter(), TENON_INTERNAL);
  ASSERT_THAT(faults_, SizeIs(1));
  EXPECT_EQ(faults_[0].text, "gave the unknown verdict 9");
}

TEST_F(Fault, UnknownReasonIsAFault) {
  open("filter_unknown_reason", module_kind::predicate);
  EXPECT_EQ(filter(), TENON_INTERNAL);
  ASSERT_THAT(faults_, SizeIs(1));
  EXPECT_EQ(faults_[0].text, "gave reason 2 of 1 that it described");
}

TEST_F(Fault, PredicateClosedGivesInternal) {
  open("filter_fails", module_kind::predicate);
  EXPECT_EQ(filter(), TENON_INTERNAL);
}

TEST_F(Fault, PredicateOpenLetsEverythingPassAndIsCounted) {
  open("filter_fails", module_kind::predicate, "on_fault: open");
  EXPECT_EQ(filter(), TENON_OK);
  EXPECT_THAT(verdicts_, ::testing::Each(TENON_PASS));
  EXPECT_EQ(host_->counters().at(0).faults, 1);
}

TEST_F(Fault, SlowCallsAreAFaultAfterSoManyInARow) {
  open("keys_slow", module_kind::node_sort, "budget: { call_us: 1000, overruns: 3 }");
  EXPECT_EQ(keys(), TENON_OK);
  EXPECT_EQ(keys(), TENON_OK);
  EXPECT_EQ(keys(), TENON_INTERNAL);
  ASSERT_THAT(faults_, SizeIs(1));
  EXPECT_THAT(faults_[0].text, HasSubstr("the budget is 1000 us (3 late calls in a row)"));
  EXPECT_EQ(host_->counters().at(0).overruns, 3);
}

TEST_F(Fault, SlowCallsWithBudgetsOffAreNone) {
  modules_.options.budgets = false;
  open("keys_slow", module_kind::node_sort, "budget: { call_us: 1000, overruns: 1 }");
  EXPECT_EQ(keys(), TENON_OK);
  EXPECT_EQ(host_->counters().at(0).overruns, 0);
}

TEST_F(Fault, KeysTooWideAreRefused) {
  EXPECT_THAT(bind_refused("wide_keys"), refuses(refusal_parts{"node-sort 'fixture'", "", "keys have 1000 words", ""}));
}

// Wherever the module lives: what it is refused for is said in the same words.
class RefusedInstance : public Fault, public ::testing::WithParamInterface<const char *> {
 protected:
  static std::string isolation() { return std::string("isolation: ") + GetParam(); }
};

TEST_P(RefusedInstance, CreateIsSaidInTheModulesWords) {
  EXPECT_THAT(bind_refused("create_fails", isolation()),
              refuses(refusal_parts{"node-sort 'fixture'", "test.create-fails 1.0.0",
                                    "create gave INVALID_CONFIG: weights do not add up",
                                    "`tenon plugin describe test.create-fails` lists"}));
}

TEST_P(RefusedInstance, InitIsSaidInTheModulesWords) {
  EXPECT_THAT(bind_refused("start_fails", isolation()),
              refuses(refusal_parts{"node-sort 'fixture'", "", "init gave UNSUPPORTED: no metrics service", ""}));
}

TEST_P(RefusedInstance, ActivateIsSaidInTheModulesWords) {
  EXPECT_THAT(
      bind_refused("activate_fails", isolation()),
      refuses(refusal_parts{"node-sort 'fixture'", "", "activate gave EXHAUSTED: no memory for the table", ""}));
}

TEST_P(RefusedInstance, WithoutLifecycle) {
  EXPECT_THAT(bind_refused("no_lifecycle", isolation()),
              refuses(refusal_parts{"node-sort 'fixture'", "", "lifecycle with an empty slot", ""}));
}

INSTANTIATE_TEST_SUITE_P(Isolation, RefusedInstance, ::testing::Values("none", "process"),
                         [](const auto &one) { return std::string(one.param); });

class Threads : public Fault {
 protected:
  Threads() { modules_.options.check_calls = true; }
};

TEST_F(Threads, CycleSlotOnAThreadWithoutRoleIsAViolationAndNotCalled) {
  open("good", module_kind::node_sort);
  EXPECT_EQ(keys(thread_role::other), TENON_INTERNAL);
  EXPECT_THAT(violations_,
              ::testing::ElementsAre(HasSubstr("keys is [cycle], and was called on a thread with role other")));
  EXPECT_THAT(keys_, ::testing::ElementsAre(0, 0, 0, 77));
}

TEST_F(Threads, CycleSlotOnTheMainThreadIsAViolation) {
  open("good", module_kind::node_sort);
  EXPECT_EQ(keys(thread_role::main), TENON_INTERNAL);
  EXPECT_THAT(violations_, ::testing::ElementsAre(HasSubstr("role main")));
}

TEST_F(Threads, MainSlotOnAnIoThreadIsAViolationAndRefused) {
  modules_.install("good");
  const auto host = modules_.open({"good"});
  ASSERT_TRUE(host);
  const role_guard io(thread_role::io);
  EXPECT_FALSE((*host)->bind(module_kind::node_sort, "fixture", "{}", 16));
  EXPECT_THAT(violations_,
              ::testing::ElementsAre(HasSubstr("create is [main], and was called on a thread with role io")));
}

TEST_F(Threads, MainSlotOnTheWriterBetweenStepsIsNone) {
  const role_guard cycle(thread_role::cycle);
  open("good", module_kind::node_sort);
  policy_.reset();
  EXPECT_THAT(violations_, SizeIs(0));
}

class Guard : public ::testing::Test {
 protected:
  Guard() {
    tally_->id = "test.guard";
    tally_->version = "1";
    tally_->check_calls = true;
    tally_->on_fault = [](const module_fault &) {};
    tally_->on_violation = [this](const thread_violation &violation) { violations_.push_back(violation.text()); };
  }
  template <class Slot>
  tenon_status call(slot_tag tag, Slot &&slot) {
    return guard_.call(
        "slot", tag, 1, slot, [](tenon_status) { return true; }, [](tenon_status) { return std::string{}; });
  }
  tenon_status call(slot_tag tag) {
    return call(tag, [] { return TENON_OK; });
  }

  std::shared_ptr<module_tally> tally_ = std::make_shared<module_tally>();
  call_guard guard_{tally_, "tenon.test/1", "guarded"};
  std::vector<std::string> violations_;
};

TEST_F(Guard, IoSlotOnTheCycleThreadIsAViolation) {
  const role_guard cycle(thread_role::cycle);
  EXPECT_EQ(call(slot_tag::io), TENON_INTERNAL);
  EXPECT_THAT(violations_, ::testing::ElementsAre(HasSubstr("slot is [io]")));
  const role_guard io(thread_role::io);
  EXPECT_EQ(call(slot_tag::io), TENON_OK);
}

TEST_F(Guard, AnySlotOnAThreadOfNobodyIsAViolation) {
  EXPECT_EQ(call(slot_tag::any), TENON_INTERNAL);
  EXPECT_THAT(violations_, ::testing::ElementsAre(HasSubstr("slot is [any]")));
  for (const auto role : {thread_role::main, thread_role::cycle, thread_role::io}) {
    const role_guard guard(role);
    EXPECT_EQ(call(slot_tag::any), TENON_OK);
  }
}

TEST_F(Guard, TwoThreadsInOneInstanceAreAViolation) {
  const role_guard cycle(thread_role::cycle);
  const tenon_status outer = call(slot_tag::cycle, [&] {
    std::thread([&] {
      const role_guard also_cycle(thread_role::cycle);
      EXPECT_EQ(call(slot_tag::cycle), TENON_INTERNAL);
    }).join();
    return TENON_OK;
  });
  EXPECT_EQ(outer, TENON_OK);
  EXPECT_THAT(violations_, ::testing::ElementsAre(HasSubstr("another thread is in the same instance")));
}

TEST_F(Guard, LateCallsThatAreNotInARowAreNoFault) {
  tally_->check_calls = false;
  tally_->budget = {100'000, 2};
  const auto batch_call = [&](bool late) {
    return guard_.call(
        "slot", slot_tag::cycle, 10,
        [&] {
          if (late) std::this_thread::sleep_for(std::chrono::milliseconds(120));
          return TENON_OK;
        },
        [](tenon_status) { return true; }, [](tenon_status) { return std::string{}; });
  };
  for (const bool late : {true, false, true, false, true}) EXPECT_EQ(batch_call(late), TENON_OK);
  EXPECT_EQ(tally_->counters().overruns, 3);
  EXPECT_EQ(batch_call(true), TENON_INTERNAL);
  EXPECT_EQ(tally_->counters().faults, 1);
}

TEST(TimeShare, IsUsedUpByAFifthOfTenSecondsInSlowCalls) {
  constexpr int64_t ms = 1'000'000;
  time_share share;
  int64_t at = 1'000'000 * ms, calls = 0;
  for (; !share.is_used_up(at); at += 200 * ms, ++calls) share.take(190 * ms);
  EXPECT_EQ(calls, 11);
  EXPECT_TRUE(share.is_used_up(at));
  EXPECT_FALSE(share.is_used_up(1'000'000 * ms + time_share::window_ns)) << "another window";
  for (int i = 0; i < 10'000; ++i) share.take(9 * ms);
  EXPECT_FALSE(share.is_used_up(1'000'001 * ms + time_share::window_ns)) << "many calls that nobody notices";
}

TEST_F(Guard, AModuleThatHasHadItsShareOfTheCycleIsNotCalled) {
  tally_->check_calls = false;
  tally_->has_share = true;
  const role_guard cycle(thread_role::cycle);
  EXPECT_EQ(call(slot_tag::cycle), TENON_OK);
  tally_->share.take(time_share::most_ns + 1);
  EXPECT_EQ(call(slot_tag::cycle), TENON_INTERNAL);
  EXPECT_EQ(call(slot_tag::main), TENON_OK) << "it may still end";
  EXPECT_EQ(tally_->counters().faults, 1);
  EXPECT_THAT(tally_->counters().last_fault,
              HasSubstr("is not called: slow calls have taken 2000 ms of the last 10000 ms, at most 2000 ms may"));
}

TEST_F(Guard, ChecksOffCallsFromAnywhere) {
  tally_->check_calls = false;
  EXPECT_EQ(call(slot_tag::cycle), TENON_OK);
  EXPECT_THAT(violations_, SizeIs(0));
}

using ThreadsDeath = Fault;

TEST_F(ThreadsDeath, WithoutAHandlerAViolationEndsTheProcess) {
  modules_.options.check_calls = true;
  modules_.options.on_violation = nullptr;
  open("good", module_kind::node_sort);
  EXPECT_DEATH(keys(thread_role::io), "keys is \\[cycle\\], and was called on a thread with role io");
}

TEST(RoleGuard, GivesTheFormerRoleBack) {
  EXPECT_EQ(current_role(), thread_role::other);
  {
    const role_guard main(thread_role::main);
    const role_guard cycle(thread_role::cycle);
    EXPECT_EQ(current_role(), thread_role::cycle);
    std::thread([] { EXPECT_EQ(current_role(), thread_role::other); }).join();
  }
  EXPECT_EQ(current_role(), thread_role::other);
}

}  // namespace
}  // namespace tenon::host
