// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// JSON Schemas and expressions of others: the same verdicts as valijson's, and an answer in a bounded time to whatever
// was written to have none.
#include "schema/json_schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <random>

#include "tenon/host/expression.hpp"
#include "tenon/host/module_configuration.hpp"
// valijson's own code does not pass all of our warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // GCC 12 with sanitizers sees std::regex so
#include <valijson/adapters/boost_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#pragma GCC diagnostic pop

namespace tenon::host {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

bool accepted_by_valijson(const json::value &schema, const json::value &value) {
  valijson::Schema parsed;
  valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
  parser.populateSchema(valijson::adapters::BoostJsonAdapter(schema), parsed);
  valijson::Validator validator;
  return validator.validate(parsed, valijson::adapters::BoostJsonAdapter(value), nullptr);
}

// Small schemas and values that often have to do with each other.
class writer {
 public:
  explicit writer(uint64_t seed) : random_(seed) {}

  json::value value(int depth = 2) {
    switch (below(depth > 0 ? 9 : 7)) {
      case 0:
        return nullptr;
      case 1:
        return below(2) == 0;
      case 2:
      case 3:
        return static_cast<int64_t>(below(7)) - 2;
      case 4:
        return static_cast<double>(below(9)) / 2 + 0.25;
      case 5:
      case 6:
        return word();
      case 7: {
        json::array list;
        for (uint64_t i = below(4); i > 0; --i) list.push_back(value(depth - 1));
        return list;
      }
      default: {
        json::object object;
        for (uint64_t i = below(4); i > 0; --i) object.insert_or_assign(word(), value(depth - 1));
        return object;
      }
    }
  }

  json::value schema(int depth = 3) {
    if (below(12) == 0) return below(2) == 0;
    json::object out;
    for (uint64_t i = 1 + below(3); i > 0; --i) add(out, depth);
    return out;
  }

 private:
  uint64_t below(uint64_t end) { return random_() % end; }
  json::string word() {
    constexpr const char *all[] = {"", "a", "b", "ab", "aab", "\xc3\xa9", "x-1"};
    return all[below(std::size(all))];
  }
  json::array schemas(int depth) {
    json::array out;
    for (uint64_t i = 1 + below(3); i > 0; --i) out.push_back(schema(depth - 1));
    return out;
  }
  json::object named(int depth, bool patterns) {
    constexpr const char *all[] = {"^a", "b$", "^a*$", "-", "[a-b]+"};
    json::object out;
    for (uint64_t i = 1 + below(2); i > 0; --i)
      out.insert_or_assign(patterns ? json::string(all[below(5)]) : word(), schema(depth - 1));
    return out;
  }

  void add(json::object &to, int depth) {
    constexpr const char *types[] = {"array", "boolean", "integer", "null", "number", "object", "string"};
    constexpr const char *patterns[] = {"^a", "b$", "^a*$", "[^a]", "^(a|b)+$"};
    constexpr const char *counts[] = {"minLength", "maxLength",     "minItems",
                                      "maxItems",  "minProperties", "maxProperties"};
    constexpr const char *bounds[] = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"};
    switch (below(depth > 0 ? 18 : 7)) {
      case 0:
      case 1:
        to["type"] = types[below(7)];
        return;
      case 2:
        to["pattern"] = patterns[below(5)];
        return;
      case 3:
        to[counts[below(6)]] = static_cast<int64_t>(below(4));
        return;
      case 4:
        to[bounds[below(4)]] = static_cast<int64_t>(below(5)) - 1;
        return;
      case 5:
        to["enum"] = json::array{value(1), value(1), value(0)};
        return;
      case 6:
        to["required"] = json::array{word()};
        return;
      case 7:
        to["const"] = value(1);
        return;
      case 8:
        to["allOf"] = schemas(depth);
        return;
      case 9:
        to["anyOf"] = schemas(depth);
        return;
      case 10:
        to["oneOf"] = schemas(depth);
        return;
      case 11:
        to["not"] = schema(depth - 1);
        return;
      case 12:
        to["items"] = below(2) == 0 ? schema(depth - 1) : json::value(schemas(depth));
        if (below(2) == 0) to["additionalItems"] = schema(depth - 1);
        return;
      case 13:
        to["properties"] = named(depth, false);
        if (below(2) == 0) to["additionalProperties"] = schema(depth - 1);
        return;
      case 14:
        to["patternProperties"] = named(depth, true);
        if (below(2) == 0) to["additionalProperties"] = schema(depth - 1);
        return;
      case 15:
        to["if"] = schema(depth - 1);
        to["then"] = schema(depth - 1);
        if (below(2) == 0) to["else"] = schema(depth - 1);
        return;
      case 16:
        to[below(2) == 0 ? "contains" : "propertyNames"] = schema(depth - 1);
        return;
      default:
        to["uniqueItems"] = true;
    }
  }

  std::mt19937_64 random_;
};

TEST(JsonSchema, VerdictsAreThoseOfAnotherImplementation) {
  size_t accepted = 0, refused = 0;
  for (uint64_t seed = 0; seed < 3'000; ++seed) {
    writer random(seed);
    const json::value schema = random.schema();
    for (int i = 0; i < 6; ++i) {
      const json::value value = random.value();
      const auto found = violations(schema, value);
      ASSERT_EQ(found.empty(), accepted_by_valijson(schema, value))
          << json::serialize(schema) << " and " << json::serialize(value);
      (found.empty() ? accepted : refused) += 1;
    }
  }
  EXPECT_GT(accepted, 3'000u);
  EXPECT_GT(refused, 3'000u);
}

TEST(JsonSchema, MultiplesOfWholeAndOtherNumbers) {
  const auto is = [](double of, const json::value &value) {
    return violations(json::object{{"multipleOf", of}}, value).empty();
  };
  EXPECT_TRUE(is(3, 9));
  EXPECT_FALSE(is(3, 10));
  EXPECT_FALSE(is(1, 0.25));
  EXPECT_TRUE(is(0.1, 0.7));
  EXPECT_FALSE(is(0.25, 0.3));
}

TEST(JsonSchema, SaysWhere) {
  const json::value schema = json::parse(
      R"({"properties": {"list": {"items": {"properties": {"port": {"maximum": 9}}, "required": ["host"]}}}})");
  const auto found = violations(schema, json::parse(R"({"list": [{"host": 1}, {"port": 10}]})"));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].path, (json_path{"list", "1", "port"}));
  EXPECT_EQ(found[1].path, (json_path{"list", "1"}));
  EXPECT_THAT(found[1].problem, HasSubstr("'host'"));
}

TEST(JsonSchema, EqualItemsAreNotUniqueHoweverTheyAreWritten) {
  const json::object schema{{"uniqueItems", true}};
  for (const char *twice : {"[1, 1.0]", "[[2.0], [2]]", R"([{"a": 1, "b": 2}, {"b": 2.0, "a": 1}])"}) {
    EXPECT_EQ(violations(schema, json::parse(twice)).size(), 1u) << twice;
  }
  EXPECT_TRUE(violations(schema, json::parse(R"([1, 1.5, "1", [1], {"a": 1}, {"a": "1"}])")).empty());
}

TEST(JsonSchema, FormatsOfTimes) {
  const auto has = [](const char *format, const char *text) {
    return violations(json::object{{"format", format}}, json::value(text)).empty();
  };
  EXPECT_TRUE(has("date", "2024-02-29"));
  EXPECT_FALSE(has("date", "2024-02-30"));
  EXPECT_FALSE(has("date", "2024-13-01"));
  EXPECT_TRUE(has("time", "16:52:45.5+02:00"));
  EXPECT_FALSE(has("time", "16:52:45"));
  EXPECT_TRUE(has("date-time", "2024-07-18T16:52:45Z"));
  EXPECT_FALSE(has("date-time", "2024-07-18 16:52:45Z"));
  EXPECT_TRUE(has("colour", "any"));
}

TEST(JsonSchema, APatternIsMatchedWithAnyTextInABoundedTime) {
  const std::string many(50'000'000, 'a');
  EXPECT_FALSE(violations(json::object{{"pattern", "^(a+)+$"}}, json::value(std::string(100'000, 'a') + "b")).empty());
  EXPECT_TRUE(violations(json::object{{"pattern", "^[a-z0-9.]*$"}}, json::value(many)).empty());
  EXPECT_TRUE(violations(json::object{{"pattern", "^(.|a)*$"}}, json::value(many)).empty());
}

TEST(JsonSchema, ALargeValueAndALargeSchemaAreTooMuchTogether) {
  json::array wanted;
  for (int i = 0; i < 20'000; ++i) wanted.push_back(i);
  const json::object schema{{"items", json::object{{"enum", wanted}}}};
  const auto found = violations(schema, json::array(20'000, json::value("no number")));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].problem, HasSubstr("bounded time"));
}

// A value of an RM, as a placement rule's: it ended the process.
TEST(JsonSchema, AConfigurationWithALongValueIsTakenOrRefused) {
  const json::object schema{
      {"properties", json::object{{"name", json::object{{"type", "string"}, {"pattern", "^([a-z]|[0-9])*$"}}}}}};
  configuration given;
  given.values["name"] = std::string(50'000, 'q');
  EXPECT_TRUE(complete_configuration(schema, given));
  given.values["name"] = std::string(50'000, 'q') + "!";
  const auto refused = complete_configuration(schema, given);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.why().have, HasSubstr("does not match"));
  EXPECT_LT(refused.why().text().size(), 1'000u);
}

TEST(Expression, RefusesWhatItDoesNotKnowAndWhatIsTooLarge) {
  EXPECT_TRUE(expression::compile("^a[[:digit:]]+(b|c)\\d$")->found_in("a17b3"));
  EXPECT_FALSE(expression::compile("^b")->found_in("ab"));
  for (const char *text : {"(", "(?=a)b", "(a)\\1", "a{1000}{1000}{1000}", "[b-a]"}) {
    const auto refused = expression::compile(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_THAT(refused.why().have, HasSubstr(text));
    EXPECT_NE(refused.why().fix, "");
  }
}

}  // namespace
}  // namespace tenon::host
