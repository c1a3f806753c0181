// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// JSON Schemas of YAML formats, made from the tables that drive their parsers: for editors and pipelines.
#pragma once

#include <string>
#include <string_view>

#include "tenon/config/shape.hpp"

namespace tenon::config {

// A JSON Schema (draft 7) of the format whose top is `root`, indented. It accepts everything of the right
// shape; what only a look at the whole text can find is left to the parser.
[[nodiscard]] std::string json_schema(const object_spec &root, std::string_view title);

// The schema of queues.yaml, known queue properties included.
[[nodiscard]] std::string queues_json_schema();

}  // namespace tenon::config
