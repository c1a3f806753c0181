// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The runner: what it selects, what it refuses, how it reports, and that nothing outlives a check.
#include "tenon/conformance/verify.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "../documents/written_pages.hpp"
#include "checks_table.hpp"

namespace tenon::conformance {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

verify_options of(const std::string &name) {
  verify_options out;
  out.manifest = fs::path(TENON_ZOO_DIRECTORY) / (name + ".yaml");
  return out;
}

// A file with this text, gone at the end.
struct scratch {
  fs::path path = fs::temp_directory_path() / ("verify-test-" + std::to_string(::getpid()) + ".yaml");
  explicit scratch(const std::string &text) { std::ofstream(path) << text; }
  ~scratch() { fs::remove(path); }
};

TEST(Verify, RunsOnlyWhatTheFilterFinds) {
  verify_options options = of("good_node_sort");
  options.filter = "^library-";
  const auto report = verify(options);
  ASSERT_TRUE(report);
  ASSERT_FALSE(report->results.empty());
  for (const check_result &r : report->results) EXPECT_THAT(std::string(r.check.id), testing::StartsWith("library-"));
}

TEST(Verify, RefusesWhatMakesNoSense) {
  EXPECT_FALSE(verify(of("no_such_module")));
  verify_options options = of("good_node_sort");
  options.filter = "no-such-check";
  EXPECT_FALSE(verify(options));
  options.filter = "(";
  EXPECT_FALSE(verify(options));
  options.filter.clear();
  options.reproduce = "answers-repeat";
  EXPECT_FALSE(verify(options));
  options.reproduce = "no-such-check@1";
  EXPECT_FALSE(verify(options));
}

TEST(Verify, KillsWhatHangsAndGoesOn) {
  verify_options options = of("keys_hang");
  options.limit = std::chrono::milliseconds(300);
  const auto report = verify(options);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->count(outcome::timed_out), 1U);
  for (const check_result &r : report->results) {
    if (r.how != outcome::timed_out) continue;
    EXPECT_THAT(r.text, HasSubstr("keys of"));
    EXPECT_THAT(as_text(r, report->manifest), HasSubstr("--reproduce slots-answer@" + std::to_string(r.seed)));
  }
}

TEST(Verify, ReproducesAFailureInThisProcess) {
  verify_options options = of("keys_count_calls");
  const auto first = verify(options);
  ASSERT_TRUE(first);
  const auto bad = std::find_if(first->results.begin(), first->results.end(), [](const auto &r) { return r.bad(); });
  ASSERT_NE(bad, first->results.end());
  options.reproduce = std::string(bad->check.id) + "@" + std::to_string(bad->seed);
  const auto again = verify(options);
  ASSERT_TRUE(again);
  ASSERT_EQ(again->results.size(), 1U);
  EXPECT_EQ(again->results[0].text, bad->text);
  EXPECT_EQ(again->results[0].seed, bad->seed);
}

TEST(Verify, LeavesOutWhatIsSwitchedOffWithAReason) {
  const scratch file("apiVersion: tenon.verify/v1\noff:\n  - { id: answers-repeat, reason: it counts on purpose }\n");
  verify_options options = of("keys_count_calls");
  options.switches = file.path;
  const auto report = verify(options);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->count(outcome::switched_off), 1U);
  EXPECT_THAT(as_junit(*report), HasSubstr("it counts on purpose"));
}

TEST(Verify, RefusesSwitchesWithoutReasonAndUnknownOnes) {
  verify_options options = of("good_node_sort");
  for (const char *entry : {"{ id: answers-repeat, reason: '' }", "{ id: answers-repeat }",
                            "{ id: answers-repeats, reason: none }", "{ id: answers-repeat, why: none }"}) {
    const scratch file(std::string("apiVersion: tenon.verify/v1\noff:\n  - ") + entry + "\n");
    options.switches = file.path;
    EXPECT_FALSE(verify(options)) << entry;
  }
  const scratch file("apiVersion: tenon.verify/v1\noff:\n  - { id: answers-repeats, reason: none }\n");
  EXPECT_THAT(verify(options).why().fix, HasSubstr("answers-repeat"));
}

TEST(Verify, ReportsForPrograms) {
  const auto report = verify(of("keys_crash"));
  ASSERT_TRUE(report);
  EXPECT_THAT(as_json(*report), HasSubstr("\"outcome\":\"crashed\""));
  EXPECT_THAT(as_junit(*report), HasSubstr("errors=\"1\""));
  EXPECT_THAT(summary(*report), HasSubstr("1 crashed"));
}

TEST(Page, HasTheListOfChecks) { EXPECT_TRUE(tenon::pages::has_part("docs/conformance.md", "checks", checks_table())); }

}  // namespace
}  // namespace tenon::conformance
