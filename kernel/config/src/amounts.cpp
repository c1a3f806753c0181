// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/config/amounts.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "tenon/kernel/quantity.hpp"

namespace tenon::config {

std::string decimal(double value, int digits) {
  std::array<char, 400> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits).ptr;
  std::string out(text.data(), end);
  if (out.find('.') != std::string::npos) {
    out.erase(out.find_last_not_of('0') + 1);
    if (out.back() == '.') out.pop_back();
  }
  return out == "-0" ? "0" : out;
}

std::string amount_text(std::string_view type, int64_t amount) {
  if (type == "vcore") return decimal(static_cast<double>(amount) / 1000, 3);
  if (!counts_bytes(type)) return std::to_string(amount);
  constexpr std::array<std::string_view, 6> units{"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  auto value = static_cast<double>(amount);
  size_t unit = 0;
  for (; std::abs(value) >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  return decimal(value, 1) + std::string(units[unit]);
}

}  // namespace tenon::config
