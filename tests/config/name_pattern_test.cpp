// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/name_pattern.hpp"

#include <gmock/gmock.h>
#include <re2/re2.h>

#include <ctime>
#include <random>

namespace tenon {
namespace {

using testing::HasSubstr;

bool matches(std::string_view expression, std::string_view name) {
  const auto pattern = name_pattern::compile(expression);
  EXPECT_TRUE(pattern) << expression << ": " << (pattern ? "" : pattern.why().text());
  return pattern && pattern->matches(name);
}

TEST(name_pattern, matches_anywhere_unless_anchored) {
  EXPECT_TRUE(matches("b+", "abbc"));
  EXPECT_FALSE(matches("^b", "abbc"));
  EXPECT_TRUE(matches("c$", "abbc"));
  EXPECT_FALSE(matches("^abb$", "abbc"));
  EXPECT_TRUE(matches("", "anything"));
  EXPECT_TRUE(matches("x*", ""));
  EXPECT_FALSE(matches("x", ""));
}

TEST(name_pattern, knows_the_dialect) {
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

TEST(name_pattern, refuses_what_is_no_expression) {
  const std::pair<const char *, const char *> cases[] = {
      {"(a", "'(' without ')'"},          {"a)", "')' without '('"},
      {"[a", "'[' without ']'"},          {"*a", "nothing before"},
      {"a**", "repetition of"},           {"a|+", "nothing before"},
      {"a{2,1}", "repeat counts"},        {"a{1001}", "repeat counts"},
      {"(a{32}){32}", "multiply"},        {"[z-a]", "range"},
      {"\\", "backslash at the end"},     {"\\q", "unknown escape"},
      {"(a)\\1", "unknown escape"},       {"(?=a)", "unknown flags"},
      {"(?x)a", "unknown flags"},         {"\\pL", "unknown escape"},
      {"[[:letters:]]", "unknown class"}, {"(?P<1 >a)", "group name"},
      {"(?P<a>x)(?P<a>y)", "twice"},      {"[\\", "backslash at the end"},
      {"\\x{110000}", "beyond U+10FFFF"}, {"\\xZZ", "unknown escape"},
  };
  for (const auto &[expression, reason] : cases) {
    const auto pattern = name_pattern::compile(expression);
    ASSERT_FALSE(pattern) << expression;
    EXPECT_THAT(pattern.why().have, HasSubstr(reason)) << expression;
  }
}

TEST(name_pattern, expressions_have_bounds) {
  EXPECT_FALSE(name_pattern::compile(std::string(1'001, 'a')));
  EXPECT_THAT(name_pattern::compile(std::string(200, '(') + std::string(200, ')')).why().have, HasSubstr("too deeply"));
  std::string many;
  for (int i = 0; i < 60; ++i) many += "(abc){500}";
  EXPECT_THAT(name_pattern::compile(many).why().have, HasSubstr("too many steps"));
}

TEST(name_pattern, hostile_names_cost_no_more_than_others) {
  const std::clock_t start = std::clock();  // of this process: others may be busy
  const std::string name(20'000, 'a');
  EXPECT_FALSE(matches("(a*)*b", name));
  EXPECT_FALSE(matches("(a|aa)+$b", name));
  EXPECT_FALSE(matches("(a|a|a|a)*(a?){20}a{20}c", name));
  EXPECT_LT((std::clock() - start) / CLOCKS_PER_SEC, 10);
}

// RE2 is the reference: random expressions compile here if and only if they do there, and match the same.
TEST(name_pattern, agrees_with_re2) {
  constexpr const char *parts[] = {"a",
                                   "b",
                                   "c",
                                   "-",
                                   ".",
                                   "^",
                                   "$",
                                   "*",
                                   "+",
                                   "?",
                                   "|",
                                   "(",
                                   ")",
                                   "[",
                                   "]",
                                   "(?:",
                                   "(?i)",
                                   "(?i:",
                                   "(?m)",
                                   "(?s)",
                                   "(?U)",
                                   "(?-i)",
                                   "[^",
                                   "[a-c]",
                                   "[[:alpha:]]",
                                   "[[:^digit:]]",
                                   "\\d",
                                   "\\W",
                                   "\\s",
                                   "\\b",
                                   "\\B",
                                   "\\A",
                                   "\\z",
                                   "{",
                                   "}",
                                   "{2}",
                                   "{1,}",
                                   "{0,2}",
                                   "{3,1}",
                                   "{,2}",
                                   "{0}",
                                   "\\.",
                                   "\\-",
                                   "\\Q",
                                   "\\E",
                                   "\\n",
                                   "\n",
                                   "\\x41",
                                   "\\x{61}",
                                   "\\101",
                                   "\\1",
                                   "\\",
                                   "A",
                                   "B",
                                   "_",
                                   "0",
                                   "1",
                                   "a-",
                                   "-c",
                                   "z",
                                   "\xE2\x82\xAC",
                                   "[\\d-]",
                                   "[^\\w]",
                                   "(?",
                                   ":",
                                   "<",
                                   "\\C",
                                   "\\Z"};
  constexpr const char *letters[] = {"a", "b", "c", "A", "B", "-", ".", "_", "0", "1", "\n", " ", "\xE2\x82\xAC",
                                     "(", "*", "z"};
  const uint32_t seed = 20'240;
  std::mt19937 random(seed);
  RE2::Options options;
  options.set_log_errors(false);
  int compiled = 0, matched = 0;
  for (int round = 0; round < 60'000; ++round) {
    std::string expression;
    for (unsigned n = 1 + random() % 8; n > 0; --n) expression += parts[random() % std::size(parts)];
    const auto ours = name_pattern::compile(expression);
    // What RE2 for C++ reads otherwise than the field's: any byte, and names without 'P' (newer than this RE2).
    const bool dialect = expression.find("\\C") != std::string::npos || expression.find("(?<") != std::string::npos;
    if (dialect) continue;
    const RE2 theirs(expression, options);
    ASSERT_EQ(static_cast<bool>(ours), theirs.ok())
        << expression << " seed " << seed << ": " << (ours ? theirs.error() : ours.why().text());
    if (!ours) continue;
    ++compiled;
    for (int i = 0; i < 6; ++i) {
      std::string name;
      for (unsigned n = random() % 7; n > 0; --n) name += letters[random() % std::size(letters)];
      // RE2 for C++ finds edges between the bytes of one character; the field's does not.
      if (expression.find("\\B") != std::string::npos && name.find('\xE2') != std::string::npos) continue;
      const bool expected = RE2::PartialMatch(name, theirs);
      ASSERT_EQ(ours->matches(name), expected) << expression << " on '" << name << "' seed " << seed;
      matched += expected ? 1 : 0;
    }
  }
  EXPECT_GT(compiled, 10'000);
  EXPECT_GT(matched, 10'000);
}

}  // namespace
}  // namespace tenon
