// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/config/yaml.hpp"

#include <gmock/gmock.h>

namespace tenon::config {
namespace {

using testing::HasSubstr;

std::string first_refusal(std::string_view text, yaml_limits limits = {}) {
  problems report("f.yaml");
  EXPECT_FALSE(read_yaml(text, report, limits)) << text.substr(0, 200);
  return report.refusals().empty() ? "" : report.refusals()[0].text();
}

yaml_node accepted(std::string_view text) {
  problems report("f.yaml");
  auto root = read_yaml(text, report);
  EXPECT_TRUE(root) << text << "\n" << (report.refusals().empty() ? "" : report.refusals()[0].text());
  return root ? std::move(*root) : yaml_node{};
}

TEST(Yaml, ValuesKnowLineAndColumn) {
  const yaml_node root = accepted("a: 1\nlist:\n  - x\n  - y: {z: 'q'}\n");
  ASSERT_EQ(root.what, yaml_node::kind::map);
  EXPECT_EQ(root.find("a")->at, (text_position{1, 4}));
  const yaml_node &second = root.find("list")->items.at(1);
  EXPECT_EQ(second.at, (text_position{4, 5}));
  EXPECT_EQ(second.find("y")->find("z")->at, (text_position{4, 12}));
  EXPECT_EQ(root.find_entry("list")->key.at, (text_position{2, 1}));
}

TEST(Yaml, AMissingValueStandsAtItsKey) {
  const yaml_node root = accepted("a:\nb: 1\n");
  EXPECT_EQ(root.find("a"), nullptr);
  EXPECT_EQ(root.find_entry("a")->value.at, (text_position{1, 1}));
}

TEST(Yaml, EmptyTextsGiveNothing) {
  for (const char *text : {"", "\n\n", "# only a remark\n", "---\n", "--- ~\n", "\xEF\xBB\xBF"}) {
    EXPECT_EQ(accepted(text).what, yaml_node::kind::null) << text;
  }
}

TEST(Yaml, DuplicateKeysAreRefusedAtTheSecondOne) {
  EXPECT_THAT(first_refusal("a: 1\nb: 2\n a: 3\n"), HasSubstr("f.yaml:"));
  EXPECT_THAT(first_refusal("a: 1\nb: 2\na: 3\n"), HasSubstr("f.yaml:3:1: the key 'a' again, first at line 1"));
  EXPECT_THAT(first_refusal("x:\n- {k: 1, 'k': 2}\n"), HasSubstr("f.yaml:2:10: the key 'k' again"));
}

TEST(Yaml, EveryDuplicateKeyIsReported) {
  problems report("f.yaml");
  EXPECT_FALSE(read_yaml("a: 1\na: 2\nb: 1\nb: 2\n", report));
  EXPECT_EQ(report.refused_count(), 2U);
}

TEST(Yaml, ASecondDocumentIsRefusedAnEmptyOneIsNot) {
  EXPECT_THAT(first_refusal("a: 1\n---\nb: 2\n"), HasSubstr("f.yaml:2:1: a second document"));
  EXPECT_NE(accepted("---\na: 1\n---\n").find("a"), nullptr);
  EXPECT_NE(accepted("a: 1\n...\n").find("a"), nullptr);
}

TEST(Yaml, AliasesAreExpanded) {
  const yaml_node root = accepted("a: &x {k: v}\nb: *x\n");
  EXPECT_EQ(root.find("b")->find("k")->text, "v");
  EXPECT_EQ(root.find("b")->find("k")->at, (text_position{1, 11}));
}

TEST(Yaml, MergeKeysAddWhatIsNotSaid) {
  const yaml_node root = accepted("a: &a {k: 1, l: 2}\nb: &b {k: 3, m: 4}\nc: {k: 0, <<: *a}\nd: {<<: [*a, *b]}\n");
  EXPECT_EQ(root.find("c")->find("k")->text, "0");
  EXPECT_EQ(root.find("c")->find("l")->text, "2");
  EXPECT_EQ(root.find("c")->find("<<"), nullptr);
  EXPECT_EQ(root.find("d")->find("k")->text, "1");
  EXPECT_EQ(root.find("d")->find("m")->text, "4");
  EXPECT_THAT(first_refusal("a: &a 5\nb: {<<: *a}\n"), HasSubstr("a merge of the number '5'"));
}

TEST(Yaml, AValueCannotContainItself) {
  EXPECT_THAT(first_refusal("a: &x [1, *x]\n"), HasSubstr("f.yaml:1:11: an alias to the value that contains it"));
  EXPECT_THAT(first_refusal("a: *nowhere\n"), HasSubstr("f.yaml:1:"));
}

TEST(Yaml, AnAliasBombIsRefused) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 20; ++i) {
    const std::string name = "a" + std::to_string(i), below = "*a" + std::to_string(i - 1);
    text += name + ": &" + name + " [";
    for (int k = 0; k < 10; ++k) text += (k > 0 ? ", " : "") + below;
    text += "]\n";
  }
  EXPECT_THAT(first_refusal(text), HasSubstr("values, aliases expanded"));
}

TEST(Yaml, NestedAnchorsCountWhatIsRemembered) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "&a" + std::to_string(i) + " [";
  text += "x";
  for (int i = 0; i < 3'000; ++i) text += ", x";
  text += std::string(100, ']');
  EXPECT_THAT(first_refusal(text, {.nodes = 100'000}), HasSubstr("more than 100000 values"));
}

TEST(Yaml, DeepNestingIsRefused) {
  EXPECT_THAT(first_refusal(std::string(1'000, '[')), HasSubstr("nested deeper than 120"));
  std::string maps;
  for (int i = 0; i < 300; ++i) maps += std::string(static_cast<size_t>(i), ' ') + "k:\n";
  EXPECT_THAT(first_refusal(maps), HasSubstr("nested deeper than 120"));
  std::string lists;
  for (int i = 0; i < 300; ++i) lists += "- ";
  EXPECT_THAT(first_refusal(lists), HasSubstr("nested deeper than 120"));
}

TEST(Yaml, BigTextsAreRefusedBySize) {
  EXPECT_THAT(first_refusal(std::string(101, 'x'), {.bytes = 100}), HasSubstr("f.yaml: 101 bytes; want: at most 100"));
}

TEST(Yaml, OnlyUtf8WithoutControlCharactersIsText) {
  EXPECT_THAT(first_refusal("a: b\nc: \xFF\n"), HasSubstr("f.yaml:2:4: bytes that are not UTF-8"));
  EXPECT_THAT(first_refusal("a: \xC0\xAF\n"), HasSubstr("not UTF-8"));          // overlong
  EXPECT_THAT(first_refusal("a: \xED\xA0\x80\n"), HasSubstr("not UTF-8"));      // surrogate
  EXPECT_THAT(first_refusal("a: \xF4\x90\x80\x80\n"), HasSubstr("not UTF-8"));  // beyond U+10FFFF
  EXPECT_THAT(first_refusal("a: \xE2\x82"), HasSubstr("not UTF-8"));            // cut short
  EXPECT_THAT(first_refusal(std::string_view("a: b\0c", 6)), HasSubstr("f.yaml:1:5: the control character 0"));
  EXPECT_EQ(accepted("a: \xE2\x82\xAC\n").find("a")->text, "\xE2\x82\xAC");
}

TEST(Yaml, ColumnsCountCharacters) {
  EXPECT_THAT(first_refusal("\xE2\x82\xAC\xE2\x82\xAC: \xFF"), HasSubstr("f.yaml:1:5:"));
  EXPECT_EQ(accepted("\xE2\x82\xAC: \xE2\x82\xAC\nb: {\xE2\x82\xAC: c}\n").find("b")->find("\xE2\x82\xAC")->at,
            (text_position{2, 8}));
}

TEST(Yaml, AQuotationMustEnd) {
  EXPECT_THAT(first_refusal("a: 'open\nb: 1\n"), HasSubstr("f.yaml:1:4: a quotation without an end"));
  EXPECT_THAT(first_refusal("a: \"open\\\"\n"), HasSubstr("f.yaml:1:4:"));
  EXPECT_EQ(accepted("a: 'it''s'").find("a")->text, "it's");
  EXPECT_EQ(accepted("a: \"x\\\\\"").find("a")->text, "x\\");
  EXPECT_EQ(accepted("a: |\n  it's\n").find("a")->text, "it's\n");
}

TEST(Yaml, ATabInTheIndentationIsNamed) {
  EXPECT_THAT(first_refusal("a:\n\tb: 1\n"), HasSubstr("a tab in the indentation"));
}

TEST(Yaml, ABlankThatIsNoneIsNamed) {
  EXPECT_THAT(first_refusal("a:\n\u00a0 b: 1\n"), HasSubstr("f.yaml:2:1: a no-break space where a blank is to be"));
  EXPECT_THAT(first_refusal("a:\n  \u00a0b: 1\n"), HasSubstr("f.yaml:2:3: a no-break space"));
  EXPECT_THAT(first_refusal("a:\u00a01\n"), HasSubstr("f.yaml:1:3: a no-break space"));
  EXPECT_THAT(first_refusal("a: [x,\u00a0y]\n"), HasSubstr("f.yaml:1:7: a no-break space"));
  EXPECT_THAT(first_refusal("-\u3000a\n"), HasSubstr("f.yaml:1:2: a character that looks like a blank"));
  EXPECT_THAT(first_refusal("a:\n\u2003b: 1\n"), HasSubstr("a character that looks like a blank"));
  for (const char *text : {"a: 'x:\u00a0y'\n", "a: \"\u00a0\"\n", "# a:\u00a0b\na: 1\n", "a: 10\u00a0GB\n"})
    EXPECT_EQ(accepted(text).entries.size(), 1U) << text;
}

TEST(Yaml, ALineThatIsIndentedLikeNoneAboveIsNamedWithWhatItMayBe) {
  const std::string above = "partitions:\n  - name: default\n    queues:\n      - name: root\n        submitacl: x\n";
  EXPECT_THAT(first_refusal(above + "       - name: b\n"),
              testing::AllOf(HasSubstr("f.yaml:6:8: a line indented by 7, which belongs to none"),
                             HasSubstr("fix: indent it by 6 or 8")));
  EXPECT_THAT(first_refusal(above + "     - name: b\n"), HasSubstr("fix: indent it by 4 or 6"));
  EXPECT_THAT(first_refusal(above + "      limits: []\n"), HasSubstr("fix: indent it by 4 or 8"));
  EXPECT_THAT(first_refusal("a:\n  b:\n    c: 1\n   d: 1\n"), HasSubstr("fix: indent it by 2 or 4"));
}

TEST(Yaml, AStarWithoutQuotesIsNamed) {
  for (const char *text : {"a: *\n", "a: *\nb: 1\n", "a: [*]\n", "- *\n", "a: *everybody\n"})
    EXPECT_THAT(first_refusal(text), HasSubstr("fix: quote it: '*'")) << text;
}

TEST(Yaml, BrokenSyntaxHasAPlace) {
  for (const char *text : {"a: [1, 2\n", "a: 'open\n", "a: b: c\n", "a: {b\n", "- a\nb: c\n", "a: \"\\q\"\n", "? [\n",
                           "%YAML 9.9\n---\n@"}) {
    EXPECT_THAT(first_refusal(text), testing::MatchesRegex("f\\.yaml(:[0-9]+:[0-9]+)?: .+")) << text;
  }
}

TEST(Yaml, ALineThatTheParserWouldDropIsRefused) {
  EXPECT_THAT(first_refusal("a: 1\n%b: 2\n"), HasSubstr("f.yaml:2:1: a line that begins with '%'"));
  EXPECT_EQ(accepted("# remark\n%YAML 1.2\n---\na: 1\n").find("a")->text, "1");
}

TEST(Yaml, WhatIsWrittenLooselyIsRefused) {
  EXPECT_THAT(first_refusal("a: 1\nqueues\n"), HasSubstr("f.yaml:2:1: the text 'queues' where a key stands"));
  EXPECT_THAT(first_refusal("a: [x,,y]\n"), HasSubstr("f.yaml:1:7: nothing before ','"));
  EXPECT_THAT(first_refusal("a:\n  - x\nb\n"), HasSubstr("f.yaml:3:1:"));
  EXPECT_THAT(first_refusal("  a: 1\n b: 2\n"), HasSubstr("f.yaml:2:2: a map behind the end of the text"));
  EXPECT_EQ(accepted("{a, b: }").entries.size(), 2U);
  EXPECT_EQ(accepted("a :\nb:").entries.size(), 2U);
  EXPECT_EQ(accepted("a: [x, ]").find("a")->items.size(), 1U);
}

TEST(Yaml, KeysAreWordsAndTagsAreFew) {
  EXPECT_THAT(first_refusal("[a]: b\n"), HasSubstr("a list as a key"));
  EXPECT_THAT(first_refusal("~: b\n"), HasSubstr("nothing as a key"));
  EXPECT_THAT(first_refusal("a: !thing b\n"), HasSubstr("the tag '!thing'"));
  EXPECT_THAT(first_refusal("a: !!int b\n"), HasSubstr("'b' with the tag"));
  EXPECT_THAT(first_refusal("a: !!binary YQ==\n"), HasSubstr("with the tag"));
  EXPECT_THAT(first_refusal("a: !!seq {b: c}\n"), HasSubstr("the tag"));
  EXPECT_EQ(accepted("a: !!float 5\n").find("a")->as_number(), 5.0);
  EXPECT_EQ(accepted("a: !!str 5\n").find("a")->type(), scalar_type::text);
}

TEST(Yaml, ScalarsMeanWhatTheFieldReads) {
  const std::pair<const char *, scalar_type> cases[] = {
      {"", scalar_type::null},        {"~", scalar_type::null},        {"NULL", scalar_type::null},
      {"true", scalar_type::boolean}, {"FALSE", scalar_type::boolean}, {"yes", scalar_type::text},
      {"12", scalar_type::integer},   {"-12", scalar_type::integer},   {"0x1F", scalar_type::integer},
      {"0b11", scalar_type::integer}, {"0o17", scalar_type::integer},  {"1_000", scalar_type::integer},
      {"1e3", scalar_type::floating}, {".5", scalar_type::floating},   {"5.", scalar_type::floating},
      {"08", scalar_type::floating},  {".inf", scalar_type::floating}, {"18446744073709551616", scalar_type::floating},
      {"1G", scalar_type::text},      {"1.2.3", scalar_type::text},    {"-", scalar_type::text},
      {"0x", scalar_type::text},      {"e5", scalar_type::text},       {"1e", scalar_type::text},
  };
  for (const auto &[text, type] : cases) EXPECT_EQ(resolve_scalar(text), type) << text;
}

yaml_node value_of(const std::string &text) { return *accepted("k: " + text + "\n").find("k"); }

TEST(Yaml, CountsAreWholeAndNotNegative) {
  EXPECT_EQ(value_of("010").as_count(), 8U);
  EXPECT_EQ(value_of("0o10").as_count(), 8U);
  EXPECT_EQ(value_of("0x10").as_count(), 16U);
  EXPECT_EQ(value_of("1_000").as_count(), 1000U);
  EXPECT_EQ(value_of("+7").as_count(), 7U);
  EXPECT_EQ(value_of("-0").as_count(), 0U);
  EXPECT_EQ(value_of("1e3").as_count(), 1000U);
  EXPECT_EQ(value_of("1.9").as_count(), 1U);
  EXPECT_EQ(value_of("18446744073709551615").as_count(), 18446744073709551615U);
  for (const char *text :
       {"-1", "-1.5", "'1'", "\"5\"", "18446744073709551616", "1e30", ".nan", ".inf", "true", "x", "[1]"}) {
    EXPECT_EQ(value_of(text).as_count(), std::nullopt) << text;
  }
}

TEST(Yaml, IntegersKeepTheirBounds) {
  EXPECT_EQ(value_of("-9223372036854775808").as_integer(), INT64_MIN);
  EXPECT_EQ(value_of("9223372036854775807").as_integer(), INT64_MAX);
  EXPECT_EQ(value_of("9223372036854775808").as_integer(), std::nullopt);
  EXPECT_EQ(value_of("1.0").as_integer(), std::nullopt);
}

TEST(Yaml, BooleansKnowTheOldWords) {
  for (const char *text : {"true", "True", "y", "Yes", "ON", "'yes'"})
    EXPECT_EQ(value_of(text).as_boolean(), true) << text;
  for (const char *text : {"false", "FALSE", "n", "no", "Off"}) EXPECT_EQ(value_of(text).as_boolean(), false) << text;
  for (const char *text : {"'true'", "1", "0", "tRue", "yep", "[]"})
    EXPECT_EQ(value_of(text).as_boolean(), std::nullopt) << text;
}

TEST(Yaml, HostileTextsEnd) {
  const size_t size = size_t{1} << 18;
  const auto repeat = [&](std::string_view part) {
    std::string out;
    while (out.size() < size) out += part;
    return out;
  };
  std::string many_keys;
  for (int i = 0; many_keys.size() < size; ++i) many_keys += "k" + std::to_string(i) + ":\n";
  const std::string one_line = "[" + repeat("a,") + "]";
  const std::string one_line_map = "{" + repeat("a: b,") + "}";
  const std::string texts[] = {one_line,       one_line_map,    repeat("["),     repeat("{"),   repeat("- "),
                               repeat("? "),   repeat("&a "),   repeat("!"),     repeat("[]:"), repeat("a: "),
                               repeat("'"),    repeat("\""),    repeat("|\n"),   repeat("#"),   repeat("{a: b},"),
                               repeat("*a "),  repeat("---\n"), repeat("a\n"),   repeat("\n"),  repeat(" "),
                               repeat("%A\n"), repeat("[a,"),   repeat("a:\n "), many_keys};
  for (const std::string &text : texts) {
    problems report("f.yaml");
    (void)read_yaml(text, report);
  }
}

}  // namespace
}  // namespace tenon::config
