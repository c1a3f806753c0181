// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rows whose columns stand below each other on a terminal.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/config/amounts.hpp"

namespace tenon::cli {

struct column {
  std::string title;
  bool right = false;  // numbers
};

class table {
 public:
  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}
  // As many cells as columns.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  // Titles, if wanted, and rows; control characters of cells become '?'.
  void print(std::ostream &out, bool titles = true) const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

using config::amount_text;

}  // namespace tenon::cli
