// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Texts as records may carry them: UTF-8, and messages no longer than all readers take.
#pragma once

#include <string>
#include <string_view>

namespace tenon::events {

inline constexpr size_t longest_message = 1024;

// The same, with U+FFFD for each byte that is no UTF-8.
[[nodiscard]] std::string as_utf8(std::string_view text);

// UTF-8 of at most `longest_message` bytes; what is longer ends in "..." after a whole character.
[[nodiscard]] std::string shortened(std::string_view text);

}  // namespace tenon::events
