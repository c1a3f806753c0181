// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// JSON Schema, behind one small face: valijson's templates are compiled in one place.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tenon::host {

// A step into a JSON value: a key or an index in decimal.
using json_path = std::vector<std::string>;

struct schema_violation {
  json_path path;  // of the value that is wrong
  std::string problem;
};

// Why `schema` is no JSON Schema (draft 7), if it is none.
[[nodiscard]] std::optional<std::string> schema_problem(const boost::json::value &schema);

// What `schema` holds against `value`, the innermost reasons first. The schema must be one.
[[nodiscard]] std::vector<schema_violation> violations(const boost::json::value &schema,
                                                       const boost::json::value &value);

}  // namespace tenon::host
