// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Letter case and control characters of ASCII. Neither depends on the locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace tenon {

[[nodiscard]] constexpr char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char &c : out) c = lower_case(c);
  return out;
}

[[nodiscard]] inline bool same_without_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower_case(x) == lower_case(y); });
}

[[nodiscard]] constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Returns the text with `instead` for each control character, line ends and tabs included.
[[nodiscard]] inline std::string without_controls(std::string text, char instead = ' ') {
  std::replace_if(text.begin(), text.end(), is_control, instead);
  return text;
}

}  // namespace tenon
