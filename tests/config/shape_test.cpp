// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/config/shape.hpp"

#include <gmock/gmock.h>

namespace tenon::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view colours[] = {"red", "green"};
constexpr key_spec inner_keys[] = {
    {.key = "name", .kind = value_kind::text, .summary = "What it is called.", .required = true},
    {.key = "delay", .kind = value_kind::duration, .summary = "How long."},
};
constexpr object_spec inner{"thing", "A thing.", inner_keys};
constexpr key_spec outer_keys[] = {
    {.key = "things", .kind = value_kind::object_list, .summary = "All things.", .object = &inner},
    {.key = "main", .kind = value_kind::object, .summary = "The thing.", .object = &inner},
    {.key = "colour", .kind = value_kind::text, .summary = "Its colour.", .allowed = colours},
    {.key = "on", .kind = value_kind::boolean, .summary = "Switch."},
    {.key = "count", .kind = value_kind::count, .summary = "How many."},
    {.key = "weights", .kind = value_kind::number_map, .summary = "Weights."},
    {.key = "ranks", .kind = value_kind::integer_map, .summary = "Ranks."},
    {.key = "labels", .kind = value_kind::text_map, .summary = "Labels."},
    {.key = "users", .kind = value_kind::text_list, .summary = "Users."},
    {.key = "free", .kind = value_kind::any, .summary = "Anything."},
};
constexpr object_spec outer{"file", "A file.", outer_keys};

std::vector<std::string> refusals(std::string_view text) {
  problems report("f.yaml");
  const auto root = read_yaml(text, report);
  if (root) (void)check_shape(*root, outer, report);
  std::vector<std::string> out;
  for (const refusal &r : report.refusals()) out.push_back(r.text());
  return out;
}

TEST(Shape, ATextOfTheRightShapePasses) {
  EXPECT_THAT(
      refusals(
          "things: [{name: a, delay: 30s}, {name: 5}]\nmain: {name: true}\ncolour: red\non: no\ncount: 7\n"
          "weights: {a: 1, b: -2.5, c: }\nranks: {a: -7}\nlabels: {a: 1, b: x, c: ~}\nusers: [a, 7]\nfree: [[]]\n"),
      ElementsAre());
}

TEST(Shape, NullValuesAreAbsent) {
  EXPECT_THAT(refusals("things:\nmain: ~\ncolour:\non:\ncount:\nweights:\nlabels:\nusers:\n"), ElementsAre());
  EXPECT_THAT(refusals("things: [~]\n"), ElementsAre());
}

TEST(Shape, UnknownKeysComeWithTheNearestKnownOne) {
  EXPECT_THAT(refusals("colour: red\nthing: []\n"),
              ElementsAre(HasSubstr(
                  "f.yaml:2:1: unknown key 'thing' in a file; want: a key of a file; fix: did you mean 'things'?")));
  EXPECT_THAT(refusals("main: {Name: x, name: y}\n"), ElementsAre(HasSubstr("did you mean 'name'?")));
  EXPECT_THAT(refusals("main: {name: x, xyzzy: y}\n"), ElementsAre(HasSubstr("one of: name, delay")));
}

TEST(Shape, AllMistakesAreReportedAtTheirPlaces) {
  EXPECT_THAT(
      refusals("things: [{delay: fast}]\ncount: -1\non: maybe\n"),
      ElementsAre(HasSubstr("f.yaml:1:18: 'fast' is no duration"), HasSubstr("f.yaml:1:10: a thing without 'name'"),
                  HasSubstr("f.yaml:2:8: the number '-1'; want: a whole number from 0 for 'count'"),
                  HasSubstr("f.yaml:3:5: the text 'maybe'; want: true or false for 'on'")));
}

TEST(Shape, WrongTypesAreRefused) {
  const std::pair<const char *, const char *> cases[] = {
      {"[]", "a list; want: a map with the keys of a file"},
      {"just text", "the text 'just text'; want: a map"},
      {"things: {}", "a map; want: a list for 'things'"},
      {"things: [x]", "the text 'x'; want: a map with the keys of a thing"},
      {"main: []", "a list; want: a map"},
      {"colour: [red]", "a list; want: a text for 'colour'"},
      {"colour: gren", "did you mean 'green'?"},
      {"count: '7'", "fix: remove the quotes"},
      {"weights: {a: '1'}", "a number for 'a'"},
      {"weights: {a: .nan}", "a number for 'a'"},
      {"weights: 5", "a map for 'weights'"},
      {"ranks: {a: 2147483648}", "between -2147483648 and 2147483647"},
      {"ranks: {a: }", "between"},
      {"labels: {a: [b]}", "a text for 'a'"},
      {"labels: x", "a map for 'labels'"},
      {"users: bob", "fix: write [bob]"},
      {"users: [[bob]]", "a text in the list for 'users'"},
      {"main: {name: x, delay: -1s}", "a duration that is not negative"},
  };
  for (const auto &[text, reason] : cases) EXPECT_THAT(refusals(text), ElementsAre(HasSubstr(reason))) << text;
}

TEST(Shape, AFractionForACountIsReadWithAWarning) {
  problems report("f.yaml");
  const auto root = read_yaml("count: 1.5\n", report);
  EXPECT_TRUE(check_shape(*root, outer, report));
  EXPECT_EQ(count_of(*root, "count", 0), 1U);
  ASSERT_EQ(report.warnings().size(), 1U);
  EXPECT_THAT(report.warnings()[0].text(), HasSubstr("f.yaml:1:8:"));
}

TEST(Shape, ReadersFallBackWhereNothingIsSaid) {
  problems report("f.yaml");
  const auto root = read_yaml("main: {delay: 1m}\nusers: [a, ~, b]\non: yes\n", report);
  EXPECT_EQ(duration_ms_of(*root->find("main"), "delay", 5), 60'000);
  EXPECT_EQ(duration_ms_of(*root, "delay", 5), 5);
  EXPECT_EQ(text_of(*root, "colour", "red"), "red");
  EXPECT_TRUE(boolean_of(*root, "on", false));
  EXPECT_EQ(texts_of(*root, "users"), (std::vector<std::string>{"a", "b"}));
}

TEST(Problems, TheNearestWordIsSuggestedOnlyWhenItIsNear) {
  constexpr std::string_view keys[] = {"partitions", "queues", "limits"};
  EXPECT_EQ(closest("partitons", keys), "partitions");
  EXPECT_EQ(closest("qeuues", keys), "queues");
  EXPECT_EQ(closest("QUEUES", keys), "queues");
  EXPECT_EQ(closest("zebra", keys), "");
  EXPECT_EQ(closest("", keys), "");
  EXPECT_EQ(closest(std::string(1'000'000, 'q'), keys), "");
}

TEST(Problems, ReportsStaySmall) {
  problems report("f", 3);
  for (int i = 1; i < 10; ++i) report.refuse({i, 1}, "x");
  EXPECT_EQ(report.refusals().size(), 3U);
  EXPECT_EQ(report.refused_count(), 9U);
}

TEST(Problems, ReasonsAreShortAndOnOneLine) {
  problems report("f");
  report.refuse({1, 1}, std::string(100'000, 'x'), "a\nb", "c\td");
  EXPECT_LT(report.refusals()[0].text().size(), 1'100U);
  EXPECT_EQ(report.refusals()[0].want, "a b");
  EXPECT_EQ(report.refusals()[0].fix, "c d");
  problems wide("f");
  std::string euros;
  for (int i = 0; i < 1'000; ++i) euros += "\xE2\x82\xAC";
  wide.warn({1, 1}, euros);
  EXPECT_EQ((wide.warnings()[0].have.size() - 3) % 3, 0U) << "cut between characters";
}

TEST(Problems, QuotationsAreShortAndPrintable) {
  EXPECT_EQ(in_quotes("a\nb"), "'a\\x0ab'");
  EXPECT_LT(in_quotes(std::string(10'000, 'x')).size(), 100U);
}

}  // namespace
}  // namespace tenon::config
