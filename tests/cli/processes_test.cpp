// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Runs in processes of their own.
#include "run/processes.hpp"

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

namespace tenon::cli {
namespace {

using testing::ElementsAre;

process_run saying(const std::string &what, unsigned after_ms = 0) {
  return {what, [=]() -> result<std::string> {
            ::usleep(after_ms * 1000);
            return what;
          }};
}

TEST(Processes, AnswersStandInTheOrderOfTheRuns) {
  std::vector<size_t> ended;
  const auto said = run_in_processes({saying("slow", 200), saying("quick"), saying("third", 50)},
                                     {.at_once = 3, .listen = [&](size_t count) { ended.push_back(count); }});
  ASSERT_TRUE(said);
  EXPECT_THAT(*said, ElementsAre("slow", "quick", "third"));
  EXPECT_THAT(ended, ElementsAre(1, 2, 3));
}

TEST(Processes, LongAnswersAreWhole) {
  const std::string much(1'000'000, 'x');
  const auto said = run_in_processes({saying(much), saying(much + "y")}, {.at_once = 2});
  ASSERT_TRUE(said);
  EXPECT_EQ(said->at(0), much);
  EXPECT_EQ(said->at(1), much + "y");
}

TEST(Processes, WhatARunKeepsIsNoOtherRunsNorOurs) {
  static int kept = 0;
  const process_run counting{"counting", []() -> result<std::string> { return std::to_string(++kept); }};
  const auto said = run_in_processes({counting, counting, counting}, {.at_once = 1});
  ASSERT_TRUE(said);
  EXPECT_THAT(*said, ElementsAre("1", "1", "1"));
  EXPECT_EQ(kept, 0);
}

TEST(Processes, TheFirstRefusalIsTheAnswerAndNoMoreStart) {
  const auto refused = [](const std::string &where, unsigned after_ms) {
    return process_run{where, [=]() -> result<std::string> {
                         ::usleep(after_ms * 1000);
                         return refusal{where, "a want", "a have", "a fix"};
                       }};
  };
  size_t ended = 0;
  const auto said = run_in_processes({refused("first", 200), refused("second", 0), saying("third"), saying("fourth")},
                                     {.at_once = 2, .listen = [&](size_t count) { ended = count; }});
  ASSERT_FALSE(said);
  EXPECT_EQ(said.why().where, "first");
  EXPECT_EQ(said.why().fix, "a fix");
  EXPECT_EQ(ended, 2U);
}

TEST(Processes, OneThatIsKilledIsNamed) {
  const process_run killed{"seed 7", []() -> result<std::string> {
                             ::raise(SIGKILL);
                             return std::string();
                           }};
  const auto said = run_in_processes({saying("well"), killed}, {});
  ASSERT_FALSE(said);
  EXPECT_EQ(said.why().where, "seed 7");
  EXPECT_EQ(said.why().have, "a process that ended");
}

TEST(Processes, NoRunsNoAnswers) {
  const auto said = run_in_processes({}, {});
  ASSERT_TRUE(said);
  EXPECT_TRUE(said->empty());
}

}  // namespace
}  // namespace tenon::cli
