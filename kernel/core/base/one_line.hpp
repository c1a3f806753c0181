// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Texts of others in a line of ours.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace tenon {

// Control characters become spaces.
[[nodiscard]] inline std::string one_line(std::string_view text) {
  std::string out(text);
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  std::replace_if(out.begin(), out.end(), is_control, ' ');
  return out;
}

}  // namespace tenon
