// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rows of a CSV file (RFC 4180), for the tables of facts.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace tenon::testing {

// All rows, the header too; none when the file cannot be read.
inline std::vector<std::vector<std::string>> read_csv(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row(1);
  bool quoted = false;
  for (size_t i = 0; i < all.size(); ++i) {
    const char c = all[i];
    if (c == '"') {
      const bool doubled = quoted && i + 1 < all.size() && all[i + 1] == '"';
      if (doubled) row.back() += all[++i];
      if (!doubled) quoted = !quoted;
    } else if (c == ',' && !quoted) {
      row.emplace_back();
    } else if (c == '\n' && !quoted) {
      rows.push_back(std::move(row));
      row.assign(1, "");
    } else if (c != '\r' || quoted) {
      row.back() += c;
    }
  }
  if (row.size() > 1 || !row[0].empty()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace tenon::testing
