// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a JSON Schema (draft 7, without references) holds against a value. Its own code: the libraries that there are
// match patterns with std::regex, which a long value ends the process with (expression.hpp).
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

namespace tenon::host {

// A step into a JSON value: a key or an index in decimal.
using json_path = std::vector<std::string>;

struct schema_violation {
  json_path path;  // of the value that is wrong
  std::string problem;
};

// What `schema` holds against `value`, the innermost reasons first; a few of them. The schema must be one
// (check_schema). Time is bounded: where both are so large that it would take long, that is a violation.
[[nodiscard]] std::vector<schema_violation> violations(const boost::json::value &schema,
                                                       const boost::json::value &value);

}  // namespace tenon::host
