// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The schema accepts what the parser accepts, and refuses what has the wrong shape.
#include "tenon/config/schema.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>
// valijson's own code does not pass all of our warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <valijson/adapters/boost_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#pragma GCC diagnostic pop

#include "tenon/config/queues.hpp"
#include "tenon/host/module_configuration.hpp"

namespace tenon::config {
namespace {

namespace fs = std::filesystem;

class QueuesSchema : public testing::Test {
 protected:
  QueuesSchema() {
    document_ = boost::json::parse(queues_json_schema());
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(valijson::adapters::BoostJsonAdapter(document_), schema_);
  }

  bool accepts(std::string_view text) {
    problems report("q.yaml");
    const auto root = read_yaml(text, report);
    if (!root) return false;
    const boost::json::value value = host::to_json(*root);
    valijson::Validator validator;
    return validator.validate(schema_, valijson::adapters::BoostJsonAdapter(value), nullptr);
  }

 private:
  boost::json::value document_;
  valijson::Schema schema_;
};

TEST_F(QueuesSchema, AcceptsEveryConfigurationThatTheFieldAccepts) {
  const fs::path folder = fs::path(TENON_TEST_DATA_DIR) / "configs" / "valid";
  for (const auto &entry : fs::directory_iterator(folder)) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    EXPECT_TRUE(accepts(text.str())) << entry.path();
  }
}

TEST_F(QueuesSchema, AcceptsWhatTheParserAccepts) {
  for (const char *text :
       {"", "partitions:\n", "priorityclasses: {high: -5}\nchecksum: 5\n",
        "partitions: [~, {name: 5, queues: [{name: true, parent: yes, maxapplications: 1.5, "
        "properties: {a: 1, b: }}]}]",
        "partitions: [{queues: [], reservation: {delay: 0, wait: 1h30m}, timeouts: {drain: 1.5s}}]",
        "partitions: [{queues: [{name: a, resources: {max: {memory: 5, vcore: ' 5 k '}}, "
        "childtemplate: {resources: {max: {memory: ''}}}}]}]",
        "partitions: [{queues: [], placementrules: [{name: user, create: true, parent: {name: fixed, value: a}, "
        "filter: {type: DENY, users: [bob, ~]}}]}]"}) {
    EXPECT_TRUE(parse_queues(text, "q.yaml").config) << text;
    EXPECT_TRUE(accepts(text)) << text;
  }
}

TEST_F(QueuesSchema, RefusesWrongShapes) {
  for (const char *text : {"[]",
                           "partition: []",
                           "partitions: {}",
                           "partitions: [{statedumpfilepath: x}]",
                           "partitions: [{Name: x}]",
                           "partitions: [5]",
                           "partitions: [{nodesortpolicy: fair}]",
                           "partitions: [{queues: [{parent: maybe}]}]",
                           "partitions: [{queues: [{maxapplications: -1}]}]",
                           "partitions: [{queues: [{maxapplications: '5'}]}]",
                           "partitions: [{queues: [{name: a.b}]}]",
                           "partitions: [{queues: [{limits: [{users: bob}]}]}]",
                           "partitions: [{queues: [{resources: {max: {memory: -5}}}]}]",
                           "partitions: [{queues: [{resources: {max: {memory: 1.5G}}}]}]",
                           "partitions: [{queues: [{resources: {min: {}}}]}]",
                           "partitions: [{queues: [{properties: {a: [b]}}]}]",
                           "partitions: [{reservation: {delay: 5}}]",
                           "partitions: [{reservation: {delay: fast}}]",
                           "partitions: [{nodesortpolicy: {resourceweights: {a: x}}}]",
                           "priorityclasses: {high: 3000000000}",
                           "partitions: [{placementrules: [{name: my-rule}]}]",
                           "partitions: [{placementrules: [{name: user, filter: {type: maybe}}]}]",
                           "partitions: [{queues: [{queues: [{queues: [{foo: 1}]}]}]}]"}) {
    EXPECT_FALSE(accepts(text)) << text;
    EXPECT_FALSE(parse_queues(text, "q.yaml").config) << text << ": what the schema refuses the parser refuses, too";
  }
}

TEST(JsonSchema, NamesKnownQueueProperties) {
  const auto schema = boost::json::parse(queues_json_schema());
  const auto &queue = schema.at("definitions").at("queue").at("properties").at("properties").at("properties");
  EXPECT_TRUE(queue.as_object().contains("application.sort.policy"));
  EXPECT_EQ(schema.at("$schema"), "http://json-schema.org/draft-07/schema#");
}

TEST(JsonSchema, AnyTableHasOne) {
  static constexpr std::string_view two[] = {"a", "b"};
  static constexpr key_spec keys[] = {
      {.key = "id", .kind = value_kind::text, .summary = "Who.", .allowed = two, .required = true},
      {.key = "config", .kind = value_kind::any, .summary = "What."},
      {.key = "rank", .kind = value_kind::integer, .summary = "Where."},
  };
  static constexpr object_spec spec{"thing", "A thing.", keys};
  const auto schema = boost::json::parse(json_schema(spec, "things"));
  EXPECT_EQ(schema.at("title"), "things");
  const auto &thing = schema.at("definitions").at("thing");
  EXPECT_EQ(thing.at("required"), (boost::json::array{"id"}));
  EXPECT_EQ(thing.at("properties").at("id").at("enum"), (boost::json::array{nullptr, "a", "b"}));
  EXPECT_EQ(thing.at("additionalProperties"), false);
}

}  // namespace
}  // namespace tenon::config
