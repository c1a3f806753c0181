// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reference tables in Markdown, made from the tables that drive the parsers.
#pragma once

#include <string>
#include <string_view>

#include "tenon/config/shape.hpp"

namespace tenon::config {

// Text of a table's cell: a bar would begin a column.
[[nodiscard]] std::string cell(std::string_view text);

// A section of second level with the object's keys.
[[nodiscard]] std::string object_section(const object_spec &spec);

}  // namespace tenon::config
