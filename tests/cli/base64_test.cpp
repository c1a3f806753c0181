// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "control/base64.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tenon::cli {
namespace {

TEST(Base64, HasTheWordsOfTheStandard) {
  EXPECT_EQ(base64_of(""), "");
  EXPECT_EQ(base64_of("f"), "Zg==");
  EXPECT_EQ(base64_of("fo"), "Zm8=");
  EXPECT_EQ(base64_of("foo"), "Zm9v");
  EXPECT_EQ(base64_of("foobar"), "Zm9vYmFy");
}

TEST(Base64, GivesBackAllBytes) {
  std::string bytes;
  for (int i = 0; i < 512; ++i) {
    bytes += static_cast<char>(i * 7);
    EXPECT_EQ(bytes_of_base64(base64_of(bytes)), bytes);
  }
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char *text : {"Z", "Zg", "Zg=", "Zg==Zg==", "====", "Z===", "Zm9?", "Zm 9", "=m9v"})
    EXPECT_FALSE(bytes_of_base64(text)) << text;
}

}  // namespace
}  // namespace tenon::cli
