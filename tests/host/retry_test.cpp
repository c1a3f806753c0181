// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Modules that failed, or were in quarantine, decide again.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "deployment/fault_key.hpp"
#include "fault_fixture.hpp"
#include "loading/retry_times.hpp"

namespace tenon::host {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::ElementsAre;
using testing::Fault;
using ::testing::IsEmpty;

constexpr steady_clock::time_point start{hours(1000)};

TEST(RetryTimes, ModuleIsDueOnceItHasHadNoFaultForSoLong) {
  retry_times times(seconds(5), minutes(10));
  EXPECT_FALSE(times.is_due("a", start + milliseconds(4'999), start));
  EXPECT_TRUE(times.is_due("a", start + seconds(5), start));
  EXPECT_TRUE(times.is_due("b", start + seconds(5), start));
}

TEST(RetryTimes, EachFurtherTimeTakesTwiceAsLong) {
  retry_times times(seconds(5), minutes(10));
  auto now = start;
  for (const int wait_s : {5, 10, 20, 40, 80, 160, 320, 640, 640}) {
    EXPECT_FALSE(times.is_due("a", now + seconds(wait_s) - milliseconds(1), now)) << wait_s;
    now += seconds(wait_s);
    EXPECT_TRUE(times.is_due("a", now, now - seconds(wait_s))) << wait_s;
  }
}

TEST(RetryTimes, TryThatComesToNothingCountsToo) {
  retry_times times(seconds(5), minutes(10));
  EXPECT_TRUE(times.is_due("a", start + seconds(5), start));
  EXPECT_FALSE(times.is_due("a", start + seconds(14), start));
  EXPECT_TRUE(times.is_due("a", start + seconds(15), start));
}

TEST(RetryTimes, ModuleThatHasDecidedForLongBeginsAnew) {
  retry_times times(seconds(5), minutes(10));
  EXPECT_TRUE(times.is_due("a", start, start - seconds(5)));
  times.decides("a", start + minutes(9));
  EXPECT_FALSE(times.is_due("a", start + minutes(9) + seconds(5), start + minutes(9)));
  EXPECT_TRUE(times.is_due("a", start + minutes(9) + seconds(10), start + minutes(9)));
  times.decides("a", start + minutes(20));
  EXPECT_TRUE(times.is_due("a", start + minutes(20) + seconds(5), start + minutes(20)));
}

TEST(RetryTimes, WithoutATimeNoModuleIsDue) {
  retry_times times(seconds(0), minutes(10));
  EXPECT_FALSE(times.is_due("a", start + hours(1), start));
}

class DecidesAgain : public Fault {
 protected:
  // A module whose order fails at each call, and has failed once.
  void fail(const std::string &retry) {
    modules_.install("keys_fail");
    auto host = open_deployment(modules_.folder.write("tenon.yaml",
                                                      "apiVersion: tenon/v1\nmodule_path: [mods]\n"
                                                      "modules: [{ id: test.keys-fail, isolation: none }]\n"
                                                      "containment: { retry: " +
                                                          retry + " }\n"),
                                modules_.options);
    ASSERT_TRUE(host) << host.why().text();
    host_ = std::move(*host);
    bind();
    EXPECT_THAT(host_->due_again(steady_clock::now() + hours(1)), IsEmpty());
    EXPECT_EQ(keys(), TENON_INTERNAL);
  }
  void bind() {
    auto policy = host_->bind(module_kind::node_sort, "fixture", "{}", 16);
    ASSERT_TRUE(policy) << policy.why().text();
    policy_ = std::move(*policy);
  }
};

TEST_F(DecidesAgain, OnceItHasHadNoFaultForSoLong) {
  const auto before = steady_clock::now();
  fail("10s");
  EXPECT_THAT(host_->due_again(before + milliseconds(9'999)), IsEmpty());
  const auto now = steady_clock::now() + seconds(10);
  EXPECT_THAT(host_->due_again(now), ElementsAre("test.keys-fail"));
  const auto build = host_->build_again("test.keys-fail");
  ASSERT_TRUE(build) << build.why().text();
  bind();
  host_->took_over(*build);
  EXPECT_FALSE(host_->counters().at(0).in_fallback);
  EXPECT_THAT(host_->due_again(now + hours(1)), IsEmpty());
}

TEST_F(DecidesAgain, FaultWhileItIsBoundIsNotForgotten) {
  fail("10s");
  const auto build = host_->build_again("test.keys-fail");
  ASSERT_TRUE(build) << build.why().text();
  bind();
  EXPECT_EQ(keys(), TENON_INTERNAL);
  host_->took_over(*build);
  EXPECT_TRUE(host_->counters().at(0).in_fallback);
  EXPECT_THAT(host_->due_again(steady_clock::now() + seconds(10)), ElementsAre("test.keys-fail"));
}

TEST_F(DecidesAgain, NeverWhereTheOperatorSaysSo) {
  fail("0s");
  EXPECT_THAT(host_->due_again(steady_clock::now() + hours(1)), IsEmpty());
}

TEST_F(DecidesAgain, OnceItsTimeInQuarantineIsOver) {
  const auto library = modules_.install("good");
  modules_.options.fault_records = modules_.folder.path() / "records";
  std::filesystem::create_directories(modules_.options.fault_records);
  const auto text =
      "apiVersion: tenon/v1\nmodule_path: [mods]\ncontainment: { retry: 1ms }\n"
      "modules: [{ id: test.good, isolation: none }]\n";
  const auto file = modules_.folder.write("tenon.yaml", text);
  std::string digest;
  {
    auto host = open_deployment(file, modules_.options);
    ASSERT_TRUE(host) << host.why().text();
    digest = (*host)->catalog().find("test.good")->manifest.digest;
  }
  // The first quarantine lasts ten minutes. Half a second of it is left, or more on a slower machine.
  for (int64_t left_ms = 500; policy_ == nullptr && left_ms < 60'000; left_ms *= 2) {
    const int64_t now_ms =
        std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    modules_.folder.write(
        "records/" + fault_key(digest, nullptr),
        "fault: it crashed\nat_ms: " + std::to_string(now_ms - 600'000 + left_ms) + "\nslot: keys\n\n");
    auto host = open_deployment(file, modules_.options);
    ASSERT_TRUE(host) << host.why().text();
    host_ = std::move(*host);
    auto policy = host_->bind(module_kind::node_sort, "fixture", "{}", 16);
    ASSERT_TRUE(policy) << policy.why().text();
    if (host_->counters().at(0).quarantine.empty()) continue;
    policy_ = std::move(*policy);
  }
  ASSERT_NE(policy_, nullptr);
  std::vector<std::string> due;
  for (const auto latest = steady_clock::now() + minutes(1); due.empty() && steady_clock::now() < latest;) {
    std::this_thread::sleep_for(milliseconds(1));
    due = host_->due_again(steady_clock::now());
  }
  EXPECT_THAT(due, ElementsAre("test.good"));
  const auto build = host_->build_again("test.good");
  ASSERT_TRUE(build) << build.why().text();
  EXPECT_FALSE(host_->counters().at(0).quarantine.empty());
  std::filesystem::remove(library);  // it is open
  bind();
  EXPECT_EQ(keys(), TENON_OK);
  EXPECT_TRUE(host_->counters().at(0).quarantine.empty());
}

}  // namespace
}  // namespace tenon::host
