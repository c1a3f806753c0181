// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Processes of a module that are started before its policies are bound again.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "isolation_fixture.hpp"
#include "refusal_matchers.hpp"

namespace tenon::host {
namespace {

using std::chrono::milliseconds;
using testing::children;
using ::testing::IsEmpty;
using testing::Isolation;
using testing::refusal_parts;
using testing::refuses;
using ::testing::SizeIs;

class StandingBy : public Isolation {
 protected:
  StandingBy() {
    runner_ = modules_.folder.path() / "runner";
    std::filesystem::create_symlink(
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "tenon-module-runner", runner_);
    modules_.options.module_runner = runner_;
  }

  // A module whose order has failed. As in the kernel, the instance is gone.
  void fail(const std::string &process = "") {
    open("keys_fail", module_kind::node_sort, "isolation: process, process: { call_deadline: 20s" + process + " }");
    EXPECT_EQ(keys(), TENON_INTERNAL);
    policy_.reset();
    ASSERT_THAT(children(), IsEmpty());
  }
  void bind() {
    auto policy = host_->bind(module_kind::node_sort, "fixture", "{}", 16);
    ASSERT_TRUE(policy) << policy.why().text();
    policy_ = std::move(*policy);
  }
  // From now on this is what a process of the module does, before it opens the module.
  void start_with(const std::string &command) {
    std::filesystem::remove(runner_);
    modules_.folder.write("runner", "#!/bin/sh\n" + command + "\n");
    std::filesystem::permissions(runner_, std::filesystem::perms::owner_all);
  }

  std::filesystem::path runner_;
};

TEST_F(StandingBy, OrderThatFailedIsBoundToAProcessThatWasStartedBefore) {
  fail();
  const auto build = host_->build_again("test.keys-fail");
  ASSERT_TRUE(build) << build.why().text();
  const auto waiting = children();
  ASSERT_THAT(waiting, SizeIs(1));
  bind();
  EXPECT_EQ(children(), waiting);
  host_->took_over(*build);
}

TEST_F(StandingBy, PolicyInUseHasAProcessThatWasStartedBeforeToo) {
  open("good");
  const auto build = host_->build_again("test.good");
  ASSERT_TRUE(build) << build.why().text();
  const auto both = children();
  ASSERT_THAT(both, SizeIs(2));
  auto policy = host_->bind(module_kind::node_sort, "fixture", "{}", 16);
  ASSERT_TRUE(policy) << policy.why().text();
  EXPECT_EQ(children(), both);
}

TEST_F(StandingBy, ProcessThatNobodyBoundEnds) {
  fail();
  auto build = std::optional(host_->build_again("test.keys-fail"));
  ASSERT_THAT(children(), SizeIs(1));
  build.reset();
  EXPECT_THAT(children(), IsEmpty());
  bind();
  EXPECT_THAT(children(), SizeIs(1));
}

TEST_F(StandingBy, OrderThatWasBoundAgainIsNotStartedOnceMore) {
  fail();
  {
    const auto build = host_->build_again("test.keys-fail");
    ASSERT_TRUE(build) << build.why().text();
    host_->took_over(*build);
  }
  const auto build = host_->build_again("test.keys-fail");
  ASSERT_TRUE(build) << build.why().text();
  EXPECT_THAT(children(), IsEmpty());
}

TEST_F(StandingBy, ModuleThatDoesNotStartAgainIsRefusedBeforeAnythingIsBound) {
  fail();
  start_with("exit 3");
  const auto build = host_->build_again("test.keys-fail");
  ASSERT_FALSE(build);
  EXPECT_THAT(build.why(), refuses(refusal_parts{"keys_fail", "a module that starts again", "status 3",
                                                 "mend what these words say"}));
  EXPECT_THAT(children(), IsEmpty());
  EXPECT_TRUE(host_->counters().at(0).in_fallback);
}

TEST_F(StandingBy, SchedulerThatStopsDoesNotWaitForAModuleToStart) {
  fail(", start_deadline: 1h");
  start_with("exec sleep 3600");
  host_->limit_last_calls(milliseconds(0));
  const auto build = host_->build_again("test.keys-fail");
  ASSERT_FALSE(build);
  EXPECT_EQ(build.why().have, "the scheduler stops");
  EXPECT_THAT(children(), IsEmpty());
}

}  // namespace
}  // namespace tenon::host
