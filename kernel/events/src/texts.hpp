// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Messages as records may carry them: UTF-8, and no longer than all readers take.
#pragma once

#include <string>
#include <string_view>

namespace tenon::events {

inline constexpr size_t longest_message = 1024;

// UTF-8 of at most `longest_message` bytes; what is longer ends in "..." after a whole character.
[[nodiscard]] std::string shortened(std::string_view text);

}  // namespace tenon::events
