// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Texts in one.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace tenon {

[[nodiscard]] inline std::string joined(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) out += part;
  return out;
}

}  // namespace tenon
