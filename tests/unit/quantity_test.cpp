// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/quantity.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace tenon {
namespace {

int64_t parsed(std::string_view type, std::string_view text) {
  const auto amount = parse_quantity(type, text);
  EXPECT_TRUE(amount) << type << " '" << text << "': " << amount.why().text();
  return amount ? *amount : INT64_MIN;
}

std::string refused(std::string_view type, std::string_view text) {
  const auto amount = parse_quantity(type, text);
  EXPECT_FALSE(amount) << type << " '" << text << "' was taken as " << *amount;
  if (amount) return {};
  EXPECT_TRUE(amount.why().where.empty());
  EXPECT_NE(amount.why().have.find(text), std::string::npos) << "the refusal shows what was written";
  EXPECT_FALSE(amount.why().want.empty());
  EXPECT_FALSE(amount.why().fix.empty());
  return amount.why().have;
}

TEST(Quantity, PlainNumbersAreTakenAsTheyAre) {
  EXPECT_EQ(parsed("memory", "0"), 0);
  EXPECT_EQ(parsed("memory", "1024"), 1024);
  EXPECT_EQ(parsed("nvidia.com/gpu", "007"), 7);
  EXPECT_EQ(parsed("pods", "9223372036854775807"), INT64_MAX);
}

TEST(Quantity, EverySuffixHasItsFactor) {
  EXPECT_EQ(parsed("memory", "3k"), 3'000);
  EXPECT_EQ(parsed("memory", "3M"), 3'000'000);
  EXPECT_EQ(parsed("memory", "3G"), 3'000'000'000);
  EXPECT_EQ(parsed("memory", "3T"), 3'000'000'000'000);
  EXPECT_EQ(parsed("memory", "3P"), 3'000'000'000'000'000);
  EXPECT_EQ(parsed("memory", "3E"), 3'000'000'000'000'000'000);
  EXPECT_EQ(parsed("memory", "3Ki"), 3'072);
  EXPECT_EQ(parsed("memory", "3Mi"), 3'145'728);
  EXPECT_EQ(parsed("memory", "1Gi"), 1'073'741'824);
  EXPECT_EQ(parsed("memory", "1Ti"), 1'099'511'627'776);
  EXPECT_EQ(parsed("memory", "1Pi"), 1'125'899'906'842'624);
  EXPECT_EQ(parsed("memory", "7Ei"), 8'070'450'532'247'928'832);
}

TEST(Quantity, VcoreIsInMilliCores) {
  EXPECT_EQ(parsed("vcore", "10"), 10'000);
  EXPECT_EQ(parsed("vcore", "500m"), 500);
  EXPECT_EQ(parsed("vcore", "1k"), 1'000'000);
  EXPECT_EQ(parsed("vcore", "1Ki"), 1'024'000);
  EXPECT_EQ(parsed("vcores", "10"), 10) << "another name is another type";
}

TEST(Quantity, BlanksAroundAndBeforeTheSuffixAreIgnored) {
  EXPECT_EQ(parsed("memory", "  12 "), 12);
  EXPECT_EQ(parsed("memory", "\t12 Mi\n"), 12'582'912);
  EXPECT_EQ(parsed("vcore", "250 m"), 250);
}

TEST(Quantity, BadSyntaxIsRefused) {
  for (const char *text : {"", " ", "-1", "+1", "1.5", "1e3", "1,000", "Gi", "1 2", "1Gib", "1x", "0x10", "1 G i",
                           "1MM", "k1", "\xc2\xbd"}) {
    EXPECT_EQ(refused("memory", text).rfind("invalid quantity '", 0), 0U) << text;
  }
}

TEST(Quantity, LettersThatOnlyLookLikeASuffixAreRefusedAsSuch) {
  for (const char *text : {"1K", "1ki", "1mi"}) {
    EXPECT_EQ(refused("memory", text).rfind("invalid suffix", 0), 0U) << text;
    EXPECT_EQ(refused("vcore", text).rfind("invalid suffix", 0), 0U) << text;
  }
  EXPECT_EQ(refused("memory", "500m").rfind("invalid suffix", 0), 0U) << "thousandths are for vcore alone";
}

TEST(Quantity, OverflowIsRefused) {
  for (const char *text : {"9223372036854775808", "99999999999999999999999999", "10E", "8Ei", "9223372036854775807k"}) {
    EXPECT_EQ(refused("memory", text).rfind("invalid quantity: overflow", 0), 0U) << text;
  }
  EXPECT_EQ(parsed("vcore", "9223372036854775"), 9'223'372'036'854'775'000);
  EXPECT_EQ(refused("vcore", "9223372036854776").rfind("invalid quantity: overflow", 0), 0U);
  EXPECT_EQ(parsed("vcore", "9223372036854775807m"), INT64_MAX) << "already in milli-cores";
}

TEST(Quantity, IsShownInTheUnitThatOperatorsUse) {
  EXPECT_EQ(format_quantity("vcore", 1500), "1500m");
  EXPECT_EQ(format_quantity("vcore", 96'000), "96");
  EXPECT_EQ(format_quantity("vcore", 0), "0");
  EXPECT_EQ(format_quantity("memory", 1500), "1500");
  EXPECT_EQ(format_quantity("memory", int64_t{8} << 30), "8Gi");
  EXPECT_EQ(format_quantity("memory", int64_t{3} << 29), "1536Mi");
  EXPECT_EQ(format_quantity("ephemeral-storage", 2048), "2Ki");
  EXPECT_EQ(format_quantity("hugepages-2Mi", 0), "0");
  EXPECT_EQ(format_quantity("gpu", 8192), "8192");
  EXPECT_EQ(format_quantity("memory", INT64_MIN), "-8Ei");
}

TEST(Quantity, WhatIsShownIsReadAsTheSameAmount) {
  for (const char *type : {"vcore", "memory"}) {
    for (const int64_t amount : {int64_t{0}, int64_t{1}, int64_t{999}, int64_t{123'456'789}, INT64_MAX}) {
      EXPECT_EQ(parsed(type, format_quantity(type, amount)), amount);
    }
  }
}

}  // namespace
}  // namespace tenon
