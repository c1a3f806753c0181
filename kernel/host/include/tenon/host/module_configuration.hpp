// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Configuration of modules: JSON values checked against the JSON Schema (draft 7) of a manifest, its defaults
// filled in. Stricter than JSON Schema in one point: where a schema lists properties and says nothing about
// others, others are refused.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "tenon/config/problems.hpp"
#include "tenon/config/yaml.hpp"

namespace tenon::host {

// The values of a YAML text by the types of its plain scalars.
[[nodiscard]] boost::json::value to_json(const config::yaml_node &node);

// A configuration and where it was written.
struct configuration {
  boost::json::object values;
  std::string file;          // or another name of the place, as "node-sort 'fair'"
  config::yaml_node source;  // null node: no positions
};

// Refuses, at its place in the manifest, what is no schema, a keyword that JSON Schema does not know, and a default
// that the schema itself would refuse. `name` is the manifest's key, as "config".
void check_schema(std::string_view name, const config::yaml_node &schema, config::problems &report);

// The values that a schema allows, in words: "integer, at least 1".
[[nodiscard]] std::string values_in_words(const boost::json::object &schema);

// The configuration with the schema's defaults where it says nothing; refused at the value's place. Refusals
// name the command that describes the module, where its id is given.
[[nodiscard]] result<boost::json::object> complete_configuration(const boost::json::object &schema,
                                                                 const configuration &given,
                                                                 std::string_view module = {});

}  // namespace tenon::host
