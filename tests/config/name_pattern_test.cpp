// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/name_pattern.hpp"

#include <gmock/gmock.h>

namespace tenon {
namespace {

using testing::HasSubstr;

bool matches(std::string_view expression, std::string_view name) {
  const auto pattern = name_pattern::compile(expression);
  EXPECT_TRUE(pattern) << expression << ": " << (pattern ? "" : pattern.why().text());
  return pattern && pattern->matches(name);
}

TEST(NamePattern, MatchesAnywhereUnlessAnchored) {
  EXPECT_TRUE(matches("b+", "abbc"));
  EXPECT_FALSE(matches("^b", "abbc"));
  EXPECT_TRUE(matches("c$", "abbc"));
  EXPECT_FALSE(matches("^abb$", "abbc"));
  EXPECT_TRUE(matches("", "anything"));
  EXPECT_TRUE(matches("x*", ""));
  EXPECT_FALSE(matches("x", ""));
}

TEST(NamePattern, KnowsTheDialect) {
  EXPECT_TRUE(matches("^(?:dev|ops)-[a-z0-9_]{2,4}$", "ops-a_9"));
  EXPECT_FALSE(matches("^(?:dev|ops)-[a-z0-9_]{2,4}$", "ops-abcde"));
  EXPECT_TRUE(matches("(?i)^ADMIN", "administrator"));
  EXPECT_FALSE(matches("(?i:a)B", "Ab"));
  EXPECT_TRUE(matches("^(?P<team>\\w+)@example\\.com\\z", "a_b@example.com"));
  EXPECT_TRUE(matches("^[[:alpha:]_][^[:space:]]*$", "x-1"));
  EXPECT_TRUE(matches("\\bsys\\b", "a:sys/b"));
  EXPECT_FALSE(matches("\\bsys\\b", "system"));
  EXPECT_TRUE(matches("^\\Qa.b\\E$", "a.b"));
  EXPECT_FALSE(matches("^\\Qa.b\\E$", "axb"));
  EXPECT_TRUE(matches("^a{,2}$", "a{,2}"));
  EXPECT_TRUE(matches("^\\x41\\x{42}\\103$", "ABC"));
  EXPECT_TRUE(matches("^.$", "\xE2\x82\xAC"));
  EXPECT_TRUE(matches("^[^a]$", "\xE2\x82\xAC"));
  EXPECT_TRUE(matches("^.{2}$", "\xFF\xFE"));
  EXPECT_TRUE(matches("(?m)^b$", "a\nb\nc"));
  EXPECT_FALSE(matches("a$", "a\n"));
  EXPECT_FALSE(matches("a.b", "a\nb"));
  EXPECT_TRUE(matches("(?s)a.b", "a\nb"));
  EXPECT_TRUE(matches("(?<name>a)", "a"));
}

TEST(NamePattern, RefusesWhatIsNoExpression) {
  const std::pair<const char *, const char *> cases[] = {
      {"(a", "missing )"},
      {"a)", "unexpected )"},
      {"[a", "missing ]"},
      {"*a", "no argument for repetition operator"},
      {"a**", "bad repetition operator"},
      {"a|+", "no argument for repetition operator"},
      {"a{2,1}", "invalid repetition size"},
      {"a{1001}", "invalid repetition size"},
      {"(a{32}){32}", "repetition"},
      {"[z-a]", "invalid character class range"},
      {"\\", "trailing \\"},
      {"\\q", "invalid escape sequence"},
      {"(a)\\1", "invalid escape sequence"},
      {"(?=a)", "invalid perl operator"},
      {"(?x)a", "invalid perl operator"},
      {"\\pL", "unknown escape"},
      {"[\\PN]", "unknown escape"},
      {"\\C", "unknown escape"},
      {"[[:letters:]]", "invalid character class"},
      {"(?P<1 >a)", "invalid named capture group"},
      {"(?P<a>x)(?P<a>y)", "two groups"},
      {"(?P<a>x)(?<a>y)", "two groups"},
      {"[\\", ""},
      {"\\x{110000}", "invalid escape sequence"},
      {"\\xZZ", "invalid escape sequence"},
  };
  for (const auto &[expression, reason] : cases) {
    const auto pattern = name_pattern::compile(expression);
    ASSERT_FALSE(pattern) << expression;
    EXPECT_THAT(pattern.why().have, HasSubstr(reason)) << expression;
  }
}

TEST(NamePattern, ExpressionsHaveBounds) {
  EXPECT_FALSE(name_pattern::compile(std::string(1'001, 'a')));
  EXPECT_THAT(name_pattern::compile(std::string(200, '(') + std::string(200, ')')).why().have, HasSubstr("too deeply"));
  std::string many;
  for (int i = 0; i < 60; ++i) many += "(abc){500}";
  EXPECT_THAT(name_pattern::compile(many).why().have, HasSubstr("too large"));
}

TEST(NamePattern, HostileNamesCostNoMoreThanOthers) {
  const std::string name(20'000, 'a');
  EXPECT_FALSE(matches("(a*)*b", name));
  EXPECT_FALSE(matches("(a|aa)+$b", name));
  EXPECT_FALSE(matches("(a|a|a|a)*(a?){20}a{20}c", name));
}

// Where RE2 for C++ reads otherwise than Go's regexp: see docs/decisions.md, filters of rules.
TEST(NamePattern, LetterCaseIsFoldedBeyondAscii) {
  EXPECT_TRUE(matches("(?i)^\u00e4rzte$", "\u00c4RZTE"));
  EXPECT_TRUE(matches("(?i)k", "\u212A"));  // the sign of Kelvin
  EXPECT_TRUE(matches("(?i)s", "\u017F"));  // a long s
  EXPECT_FALSE(matches("\u00e4", "\u00c4"));
}

TEST(NamePattern, NoEdgeLiesInsideOfACharacterToo) {
  EXPECT_TRUE(matches("\\B", "a\u20ACb"));
  EXPECT_FALSE(matches("\\B", "a-b"));
}

TEST(NamePattern, BytesThatAreNoCharacterAreOneEach) {
  EXPECT_TRUE(matches("^a\xFF$", "a\xFE"));
  EXPECT_TRUE(matches("^[^a]{3}$", "\xED\xA0\x80"));  // a surrogate
  EXPECT_FALSE(matches("^[^a]$", "\xC0\x80"));        // longer than needed
}

TEST(NamePattern, CopiesShareAProgram) {
  const auto pattern = name_pattern::compile("^a+$");
  const name_pattern copy = *pattern;
  EXPECT_TRUE(copy.matches("aaa"));
  EXPECT_EQ(copy.expression(), "^a+$");
}

}  // namespace
}  // namespace tenon
