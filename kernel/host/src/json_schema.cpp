// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "json_schema.hpp"

// Without it valijson ends the process over a bad schema.
#define VALIJSON_USE_EXCEPTIONS 1
#include <boost/json.hpp>
#include <exception>
#include <valijson/adapters/boost_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace tenon::host {
namespace {

using adapter = valijson::adapters::BoostJsonAdapter;

// Throws std::exception over what is no schema.
void parse(const boost::json::value &from, valijson::Schema &to) {
  valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
  parser.populateSchema(adapter(from), to);
}

// valijson says "<root>", "[key]", "[0]".
json_path path_of(const std::vector<std::string> &context) {
  json_path path;
  for (const std::string &step : context)
    if (step.size() >= 2 && step.front() == '[' && step.back() == ']') path.push_back(step.substr(1, step.size() - 2));
  return path;
}

}  // namespace

std::optional<std::string> schema_problem(const boost::json::value &schema) {
  try {
    valijson::Schema parsed;
    parse(schema, parsed);
    return std::nullopt;
  } catch (const std::exception &problem) {
    return problem.what();
  }
}

std::vector<schema_violation> violations(const boost::json::value &schema, const boost::json::value &value) {
  std::vector<schema_violation> out;
  try {
    valijson::Schema parsed;
    parse(schema, parsed);
    valijson::Validator validator;
    valijson::ValidationResults results;
    if (validator.validate(parsed, adapter(value), &results)) return out;
    valijson::ValidationResults::Error error;
    while (results.popError(error)) out.push_back({path_of(error.context), error.description});
    if (out.empty()) out.push_back({{}, "the schema refuses it"});
  } catch (const std::exception &problem) {
    // A pattern of the schema that is no regular expression shows only here.
    out.push_back({{}, std::string("the schema cannot be applied: ") + problem.what()});
  }
  return out;
}

}  // namespace tenon::host
