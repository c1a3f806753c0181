// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the whole tree does with texts: UTF-8, letters, times.
#include <gtest/gtest.h>

#include "tenon/text/letters.hpp"
#include "tenon/text/utc.hpp"
#include "tenon/text/utf8.hpp"

namespace tenon {
namespace {

TEST(Utf8, ABeginningEndsWithAWholeCharacter) {
  EXPECT_EQ(beginning_of("abc", 3), "abc");
  EXPECT_EQ(beginning_of("abcd", 3), "abc");
  EXPECT_EQ(beginning_of("aöö", 4), "aö");
  EXPECT_EQ(beginning_of("a😀b", 4), "a");
  EXPECT_EQ(beginning_of("😀", 3), "");
}

TEST(Utf8, CharactersAreCountedNotBytes) {
  EXPECT_EQ(characters_of("aö😀"), 3U);
  EXPECT_EQ(character_length("😀b"), 4U);
  EXPECT_EQ(character_length("\xC3"), 0U);
}

TEST(Utf8, WrongBytesAreReplacedOneByOne) {
  EXPECT_EQ(utf8_of("a\xC3\xC3ö", "?"), "a??ö");
  EXPECT_EQ(utf8_of("\xFF"), "\xEF\xBF\xBD");
}

TEST(Letters, CaseIsThatOfAscii) {
  EXPECT_EQ(lower_case("GPU-Ö"), "gpu-Ö");
  EXPECT_TRUE(same_without_case("Soft", "sOFT"));
  EXPECT_FALSE(same_without_case("Soft", "softs"));
  EXPECT_FALSE(same_without_case("Ö", "ö"));
}

TEST(Letters, ControlCharactersAreReplaced) {
  EXPECT_EQ(without_controls("a\n\tb\x7f\x1f"
                             "ö"),
            "a  b  ö");
  EXPECT_EQ(without_controls("a\x01", '?'), "a?");
}

TEST(Utc, TimesHaveMillisecondsOrSeconds) {
  EXPECT_EQ(utc_text(1'795'280'400'123), "2026-11-21T17:00:00.123Z");
  EXPECT_EQ(utc_text(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(utc_text_in_seconds(1'795'280'400'999), "2026-11-21T17:00:00Z");
}

}  // namespace
}  // namespace tenon
