// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "run/text_table.hpp"

#include <algorithm>
#include <ostream>

#include "tenon/text/letters.hpp"
#include "tenon/text/utf8.hpp"

namespace tenon::cli {
void table::print(std::ostream &out, bool titles) const {
  std::vector<size_t> widths;
  for (const column &one : columns_) widths.push_back(characters_of(one.title));
  for (const auto &row : rows_)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], characters_of(row[i]));
  const auto line = [&](const auto &cell) {
    std::string text;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const std::string one = without_controls(cell(i), '?');
      const std::string fill(widths[i] - characters_of(one), ' ');
      text += (i == 0 ? "" : "  ") + (columns_[i].right ? fill + one : one + fill);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  };
  if (titles) line([&](size_t i) { return columns_[i].title; });
  for (const auto &row : rows_) line([&](size_t i) { return row[i]; });
}

}  // namespace tenon::cli
