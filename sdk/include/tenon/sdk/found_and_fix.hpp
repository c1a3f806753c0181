// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The two parts of a refusal in one text: what was found, and what to do.
#pragma once

#include <algorithm>
#include <string_view>

namespace tenon::sdk {

struct found_and_fix {
  std::string_view found, fix;
};

// Splits a refusal of the scheduler at its first "; ", behind which stands what to do. `fix` is empty where the text
// has none.
[[nodiscard]] constexpr found_and_fix split_fix(std::string_view message) {
  constexpr std::string_view between = "; ";
  const size_t end = std::min(message.find(between), message.size());
  return {message.substr(0, end), message.substr(std::min(end + between.size(), message.size()))};
}
static_assert(split_fix("a; b; c").found == "a" && split_fix("a; b; c").fix == "b; c");
static_assert(split_fix("a").found == "a" && split_fix("a").fix.empty());

}  // namespace tenon::sdk
