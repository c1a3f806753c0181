// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Texts of records in columns of type text, which hold UTF-8 without NUL alone: what is none of that stands as \xHH
// there, and a backslash as two.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon::events_postgresql {

[[nodiscard]] std::string stored_text(std::string_view text);
[[nodiscard]] std::string read_text(std::string_view stored);

// A list of values as the parameter of a query that is an array.
class array_parameter {
 public:
  void add(std::string_view value);
  void add(int64_t value) { add_raw(std::to_string(value)); }
  // Nothing can be added afterwards.
  [[nodiscard]] std::string finished() &&;

 private:
  void add_raw(std::string_view value);
  std::string out_ = "{";
};

}  // namespace tenon::events_postgresql
