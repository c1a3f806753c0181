// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Gangs with placeholders, as the simulated resource manager plays them: against every scheduler that has gangs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <sstream>

#include "oracle/engine.hpp"
#include "oracle/features.hpp"
#include "simulate_command.hpp"
#include "testing.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

struct scheduler {
  std::string name;
  engine_factory make;
};

std::vector<scheduler> schedulers() {
  std::vector<scheduler> out{{"Oracle", oracle_factory()}};
  if (naive::kernel_has.gangs) out.push_back({"Kernel", kernel_factory()});
  return out;
}

class Gangs : public testing::TestWithParam<scheduler> {
 protected:
  // Jobs as number, submission, run time and processors, in the queue of their number modulo 2, on four processors.
  // `start`: gang.start of all queues, where it is said.
  json::value play(const std::vector<std::array<int, 4>> &jobs, gang_style style, int64_t timeout_s = 0,
                   const std::string &start = {}) {
    std::string text = "; MaxNodes: 2\n; MaxProcs: 4\n";
    for (const auto &[number, submit, run, processors] : jobs) {
      text += std::to_string(number) + " " + std::to_string(submit) + " 0 " + std::to_string(run) + " " +
              std::to_string(processors) + " -1 -1 -1 -1 -1 1 1 1 -1 " + std::to_string(number % 2) + " -1 -1 -1\n";
    }
    simulate_options options;
    options.trace = "swf:" + folder_.file("t.swf", text);
    options.gangs = style;
    if (!start.empty()) {
      options.config = folder_.file("q.yaml",
                                    "partitions: [{name: default, queues: [{name: root, submitacl: '*', "
                                    "properties: {gang.start: " +
                                        start + "}, queues: [{name: q0}, {name: q1}]}]}]\n");
    }
    options.placeholder_timeout_s = timeout_s;
    options.json = true;
    options.progress = false;
    options.decisions = folder_.file("decisions");
    options.dump = folder_.file("dump");
    std::ostringstream out, err;
    EXPECT_EQ(run_simulate(options, out, err, GetParam().make), exit_code::ok) << err.str();
    return json::parse(out.str());
  }

  // Lines of the list of decisions that have all these parts.
  size_t decisions(const std::vector<std::string> &parts) {
    std::istringstream lines(folder_.text("decisions"));
    size_t count = 0;
    for (std::string line; std::getline(lines, line);) {
      count += std::all_of(parts.begin(), parts.end(),
                           [&](const std::string &part) { return line.find("\t" + part) != std::string::npos; });
    }
    return count;
  }

  static double seconds(const json::value &out, const char *queue, const char *figure) {
    return out.at("waiting_seconds").at(queue).at(figure).to_number<double>();
  }

  temporary_folder folder_;
};

TEST_P(Gangs, WorkersTakeThePlacesOfTheirPlaceholders) {
  // As large as all nodes: without replacement there would be no room for one worker.
  const auto out = play({{1, 0, 10, 4}, {2, 3, 5, 4}}, gang_style::soft);
  EXPECT_EQ(out.at("placed"), 8);
  EXPECT_EQ(out.at("pending"), 0);
  EXPECT_EQ(out.at("makespan_seconds").to_number<double>(), 15.0);
  EXPECT_EQ(seconds(out, "root.q0", "p50"), 7.0);
  EXPECT_EQ(out.at("utilisation").at("vcore").at("peak").to_number<double>(), 1.0);
  EXPECT_EQ(decisions({"released", "PLACEHOLDER_REPLACED"}), 8U);
}

TEST_P(Gangs, SoftGangGoesOnWithoutPlaceholdersAfterItsTimeout) {
  // Each has two of the four processors that both want three of; the timeout lets the first to be tried go on.
  const auto out = play({{1, 0, 10, 3}, {2, 0, 10, 3}}, gang_style::soft, 60);
  EXPECT_EQ(out.at("placed"), 6);
  EXPECT_EQ(out.at("pending"), 0);
  EXPECT_GE(decisions({"application_state", "load\t[load]default\tjob-"}), 2U);
  EXPECT_GT(decisions({"released", "TIMEOUT"}), 0U);
  EXPECT_GE(seconds(out, "root.q0", "max"), 60.0);
}

TEST_P(Gangs, HardGangWaitsUntilAllOfItFits) {
  const auto out = play({{1, 0, 200, 3}, {2, 1, 10, 3}}, gang_style::hard, 60);
  EXPECT_EQ(out.at("placed"), 6);
  EXPECT_EQ(out.at("makespan_seconds").to_number<double>(), 210.0);
}

TEST_P(Gangs, HardGangThatBeginsPiecewiseFailsAfterItsTimeoutAndStaysPending) {
  const auto out = play({{1, 0, 200, 3}, {2, 1, 10, 3}}, gang_style::hard, 60, "piecewise");
  EXPECT_EQ(out.at("placed"), 3);
  EXPECT_EQ(out.at("pending"), 3);
  EXPECT_EQ(out.at("pending_reasons").at(0).at("reason").as_string(), "the gang was not placed in time");
  EXPECT_EQ(out.at("makespan_seconds").to_number<double>(), 200.0);
}

TEST_P(Gangs, ThatHoldWhatEachOtherWantsAreFound) {
  // Worker by worker each gets two of the four processors, and wants three: nothing ends, and two more jobs wait.
  const std::vector<std::array<int, 4>> jobs{{1, 0, 10, 3}, {2, 0, 10, 3}, {3, 100, 10, 1}, {4, 500, 10, 1}};
  const auto out = play(jobs, gang_style::none);
  EXPECT_EQ(out.at("placed"), 4);
  EXPECT_EQ(out.at("pending"), 4);
  ASSERT_EQ(out.at("findings").as_array().size(), 1U);
  const std::string finding(out.at("findings").at(0).as_string());
  for (const char *part : {"2 gangs are placed in part and cannot start", "4 of their workers hold vcore 4",
                           "wait for 2 more, and 4 workers in all wait", "--gangs soft"}) {
    EXPECT_THAT(finding, testing::HasSubstr(part));
  }
  EXPECT_EQ(play(jobs, gang_style::soft, 60).at("findings").as_array().size(), 0U);
}

TEST_P(Gangs, ThatNeverRanWaitToTheEndInEveryFigure) {
  const auto out = play({{1, 0, 10, 3}, {2, 0, 10, 3}, {3, 100, 10, 1}, {5, 500, 10, 1}}, gang_style::none);
  const auto &odd = out.at("waiting_seconds").at("root.q1");  // jobs 1, 3 and 5
  EXPECT_EQ(odd.at("placed"), 2);
  EXPECT_EQ(odd.at("never_placed"), 3);
  const auto end = out.at("makespan_seconds").to_number<double>();
  EXPECT_EQ(odd.at("p50").to_number<double>(), end - 500);  // of 0, 0, end - 500, end - 100 and end
  EXPECT_EQ(odd.at("max").to_number<double>(), end);
  EXPECT_EQ(json::serialize(odd.at("at_least")), R"(["mean","p50","p90","p95","p99","max"])");
}

TEST_P(Gangs, ThatFailedWaitToTheEndAsWell) {
  const auto out = play({{1, 0, 200, 3}, {3, 1, 10, 3}}, gang_style::hard, 60, "piecewise");
  const auto &all = out.at("waiting_seconds").at("root.q1");
  EXPECT_EQ(all.at("placed"), 3);
  EXPECT_EQ(all.at("never_placed"), 3);
  EXPECT_EQ(all.at("p50").to_number<double>(), 0.0);
  EXPECT_EQ(all.at("max").to_number<double>(), 199.0);
  EXPECT_EQ(json::serialize(all.at("at_least")), R"(["mean","p90","p95","p99","max"])");
}

TEST_P(Gangs, SingleWorkersRunBesideGangs) {
  const auto out = play({{1, 0, 10, 3}, {2, 0, 4, 1}, {3, 1, 10, 3}, {4, 5, 1, 1}}, gang_style::soft);
  EXPECT_EQ(out.at("placed"), 8);
  EXPECT_EQ(out.at("pending"), 0);
}

TEST_P(Gangs, NothingOfManyJobsStays) {
  std::vector<std::array<int, 4>> jobs;
  for (int i = 0; i < 60; ++i) jobs.push_back({i, i * 5 % 97, 3 + i * 7 % 23, 1 + i % 4});
  size_t workers = 0;
  for (const auto &job : jobs) workers += static_cast<size_t>(job[3]);
  for (const gang_style style : {gang_style::none, gang_style::soft}) {
    const auto out = play(jobs, style, 120);
    EXPECT_EQ(out.at("placed").to_number<size_t>() + out.at("pending").to_number<size_t>(), workers);
    if (style == gang_style::none) continue;  // halves of gangs may hold what others wait for
    EXPECT_EQ(out.at("pending"), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Schedulers, Gangs, testing::ValuesIn(schedulers()),
                         [](const auto &tested) { return tested.param.name; });

}  // namespace
}  // namespace tenon::cli
