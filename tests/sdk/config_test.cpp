// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/sdk/config.hpp"

#include <gmock/gmock.h>

namespace tenon::sdk {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(std::string_view json) {
  try {
    const config read(json);
    return "accepted";
  } catch (const invalid_config &e) {
    return e.what();
  }
}

TEST(Config, BlankTextIsTheEmptyObject) {
  for (const char *json : {"", " \n\t", "{}", " { } "}) EXPECT_EQ(config(json).number("x", 4.5), 4.5) << json;
}

TEST(Config, ValuesReadByKey) {
  const config c(R"( { "n": -12.5e2, "t": "x", "yes": true, "no": false, "w": {"vcore": 1, "memory": 0.5},
                       "l": ["a", "b"], "i": 42, "z": null } )");
  EXPECT_EQ(c.number("n", 0), -1250.0);
  EXPECT_EQ(c.text("t", ""), "x");
  EXPECT_TRUE(c.flag("yes", false));
  EXPECT_FALSE(c.flag("no", true));
  EXPECT_EQ(c.numbers("w", {}), (std::map<std::string, double>{{"vcore", 1}, {"memory", 0.5}}));
  EXPECT_EQ(c.texts("l", {}), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(c.whole("i", 0, 0, 100), 42);
  EXPECT_TRUE(c.is_null("z"));
  EXPECT_TRUE(c.has("z"));
}

TEST(Config, MissingKeyGivesTheDefault) {
  const config c(R"({"other": 1})");
  EXPECT_FALSE(c.has("x"));
  EXPECT_EQ(c.number("x", 7), 7);
  EXPECT_EQ(c.text("x", "d"), "d");
  EXPECT_TRUE(c.flag("x", true));
  EXPECT_EQ(c.texts("x", {"d"}), std::vector<std::string>{"d"});
  EXPECT_EQ(c.numbers("x", {{"d", 1}}), (std::map<std::string, double>{{"d", 1}}));
}

TEST(Config, ValueOfAnotherKindRefusedWithKeyAndWant) {
  const config c(R"({"t": "x", "n": 1, "l": ["a", 1], "w": {"a": "b"}})");
  const auto error_of = [](auto &&ask) {
    try {
      ask();
      return std::string("accepted");
    } catch (const invalid_config &e) {
      return std::string(e.what());
    }
  };
  EXPECT_EQ(error_of([&] { (void)c.number("t", 0); }), R"(configuration key "t": want a number)");
  EXPECT_EQ(error_of([&] { (void)c.text("n", ""); }), R"(configuration key "n": want a text)");
  EXPECT_EQ(error_of([&] { (void)c.flag("n", false); }), R"(configuration key "n": want true or false)");
  EXPECT_EQ(error_of([&] { (void)c.texts("l", {}); }), R"(configuration key "l": want a list of texts)");
  EXPECT_EQ(error_of([&] { (void)c.numbers("w", {}); }), R"(configuration key "w": want an object of numbers)");
}

TEST(Config, WholeNumbersWithinTheirBounds) {
  const config c(R"({"half": 1.5, "big": 11, "huge": 1e300})");
  for (const char *key : {"half", "big", "huge"}) {
    EXPECT_THROW((void)c.whole(key, 0, 0, 10), invalid_config) << key;
  }
  EXPECT_EQ(c.whole("big", 0, 0, 11), 11);
}

TEST(Config, EscapesBecomeUtf8) {
  EXPECT_EQ(config(R"({"s": "\"\\\/\b\f\n\r\t"})").text("s", ""), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(config(R"({"s": "A\u00e9\u20ac\ud83d\ude00"})").text("s", ""), "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(config("{\"s\": \"\xC3\xA9\"}").text("s", ""), "\xC3\xA9");
  EXPECT_EQ(config(R"({"s": "\u0000"})").text("s", ""), std::string(1, '\0'));
}

TEST(Config, NotJsonRefusedWithThePlace) {
  EXPECT_THAT(refusal_of(R"({"a": 1,})"), HasSubstr("byte 8"));
  EXPECT_THAT(refusal_of(R"({"a" 1})"), HasSubstr("want ':'"));
  EXPECT_THAT(refusal_of("[1]"), HasSubstr("want an object"));
  for (const char *json : {"{",
                           "}",
                           "{\"a\"",
                           "{\"a\":",
                           "{\"a\":1",
                           "{\"a\":1}}",
                           "{\"a\":1} x",
                           "{a:1}",
                           "{'a':1}",
                           "{\"a\":01}",
                           "{\"a\":+1}",
                           "{\"a\":.5}",
                           "{\"a\":1.}",
                           "{\"a\":1e}",
                           "{\"a\":-}",
                           "{\"a\":NaN}",
                           "{\"a\":Infinity}",
                           "{\"a\":1e999}",
                           "{\"a\":tru}",
                           "{\"a\":\"x}",
                           "{\"a\":\"\n\"}",
                           "{\"a\":\"\\x\"}",
                           "{\"a\":\"\\u12\"}",
                           "{\"a\":\"\\u12g4\"}",
                           "{\"a\":\"\\ud800\"}",
                           "{\"a\":\"\\ud800\\u0041\"}",
                           "{\"a\":\"\\udc00\"}",
                           "{\"a\":[1,]}",
                           "{\"a\":[1 2]}",
                           "{\"a\":1 \"b\":2}",
                           "{\"a\":0x10}",
                           "{\"a\":\"\\"}) {
    EXPECT_NE(refusal_of(json), "accepted") << json;
  }
}

TEST(Config, SameKeyTwiceRefused) { EXPECT_THAT(refusal_of(R"({"a":1,"a":2})"), HasSubstr("\"a\"")); }

TEST(Config, DeepNestingRefusedNotOverflowed) {
  EXPECT_EQ(refusal_of("{\"a\":" + std::string(20, '[') + std::string(20, ']') + "}"), "accepted");
  EXPECT_THAT(refusal_of("{\"a\":" + std::string(100'000, '[')), HasSubstr("less nesting"));
}

TEST(Config, AnyCutRefusedWithoutReadingOn) {
  const std::string whole = R"({"a":[1,-2.5e3,{"b":"\u20ac\ud83d\ude00"}],"c":true,"d":null})";
  ASSERT_EQ(refusal_of(whole), "accepted");
  for (size_t length = 1; length < whole.size(); ++length) {
    const std::vector<char> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));  // no byte behind
    EXPECT_NE(refusal_of({cut.data(), cut.size()}), "accepted") << length;
  }
}

}  // namespace
}  // namespace tenon::sdk
