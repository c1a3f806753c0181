// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "run/text_table.hpp"

#include <algorithm>
#include <ostream>

namespace tenon::cli {
namespace {

size_t width_of(const std::string &text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string harmless(std::string text) {
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

}  // namespace

void table::print(std::ostream &out, bool titles) const {
  std::vector<size_t> widths;
  for (const column &one : columns_) widths.push_back(width_of(one.title));
  for (const auto &row : rows_)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  const auto line = [&](const auto &cell) {
    std::string text;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const std::string one = harmless(cell(i));
      const std::string fill(widths[i] - width_of(one), ' ');
      text += (i == 0 ? "" : "  ") + (columns_[i].right ? fill + one : one + fill);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  };
  if (titles) line([&](size_t i) { return columns_[i].title; });
  for (const auto &row : rows_) line([&](size_t i) { return row[i]; });
}

}  // namespace tenon::cli
