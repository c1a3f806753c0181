// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/duration.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

namespace tenon {
namespace {

TEST(Duration, ReadsWhatGoReads) {
  const std::pair<const char *, int64_t> cases[] = {
      {"0", 0},
      {"0s", 0},
      {"5s", 5'000'000'000},
      {"+5s", 5'000'000'000},
      {"-5s", -5'000'000'000},
      {"1h30m", 5'400'000'000'000},
      {"1.5h", 5'400'000'000'000},
      {"5.s", 5'000'000'000},
      {".5s", 500'000'000},
      {"1ms", 1'000'000},
      {"1us", 1'000},
      {"1\xC2\xB5s", 1'000},
      {"1\xCE\xBCs", 1'000},
      {"100ns", 100},
      {"0.1ns", 0},
      {"10m30.5s", 630'500'000'000},
      {"3h2m1s100ms", 10'921'100'000'000},
      {"0.3333333333333333333h", 1'200'000'000'000},
      {"9223372036854775807ns", INT64_MAX},
      {"-9223372036854775808ns", INT64_MIN},
      {"2562047h47m16.854775807s", INT64_MAX},
  };
  for (const auto &[text, ns] : cases) {
    const auto got = parse_duration_ns(text);
    ASSERT_TRUE(got) << text << ": " << got.why().text();
    EXPECT_EQ(*got, ns) << text;
  }
}

TEST(Duration, RefusesWhatGoRefuses) {
  for (const char *text : {"",
                           "-",
                           "+",
                           "5",
                           "s",
                           ".",
                           ".s",
                           "-.s",
                           "1d",
                           "1 s",
                           " 1s",
                           "1s ",
                           "1S",
                           "1.2.3s",
                           "9223372036854775808ns",
                           "-9223372036854775809ns",
                           "9223372036854775807h",
                           "1e3s",
                           "99999999999999999999s",
                           "--1s",
                           "0x1s",
                           "1s1"}) {
    const auto got = parse_duration_ns(text);
    ASSERT_FALSE(got) << text;
    EXPECT_NE(got.why().have.find("is no duration"), std::string::npos) << text;
    EXPECT_FALSE(got.why().fix.empty());
  }
}

TEST(Duration, MillisecondsNeverLoseAllOfIt) {
  EXPECT_EQ(*parse_duration_ms("1.9ms"), 1);
  EXPECT_EQ(*parse_duration_ms("0"), 0);
  EXPECT_EQ(*parse_duration_ms("-2s"), -2'000);
  EXPECT_FALSE(parse_duration_ms("999us"));
  EXPECT_FALSE(parse_duration_ms("-1ns"));
}

TEST(Duration, PrintsWhatGoPrints) {
  const std::pair<int64_t, const char *> cases[] = {{0, "0s"},
                                                    {1, "1ns"},
                                                    {1'100, "1.1\xC2\xB5s"},
                                                    {2'200'000, "2.2ms"},
                                                    {3'300'000'000, "3.3s"},
                                                    {245'000'000'000, "4m5s"},
                                                    {3'600'000'000'000, "1h0m0s"},
                                                    {-1, "-1ns"},
                                                    {INT64_MIN, "-2562047h47m16.854775808s"},
                                                    {INT64_MAX, "2562047h47m16.854775807s"}};
  for (const auto &[ns, text] : cases) EXPECT_EQ(format_duration_ns(ns), text);
  EXPECT_EQ(format_duration_ms(90'000), "1m30s");
}

TEST(Duration, WhatIsPrintedIsReadBack) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const auto ns = static_cast<int64_t>(random() >> (random() % 64));
    const auto back = parse_duration_ns(format_duration_ns(ns));
    ASSERT_TRUE(back);
    // A fraction goes through a double, as in Go.
    EXPECT_NEAR(static_cast<double>(*back), static_cast<double>(ns), 1.0) << ns;
  }
}

}  // namespace
}  // namespace tenon
