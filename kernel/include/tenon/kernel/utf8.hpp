// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// UTF-8, as utf8cpp reads it (RFC 3629: no surrogates, nothing longer than needed, nothing beyond U+10FFFF). Whether a
// text is UTF-8 says utf8::is_valid.
#pragma once

#include <utf8.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace tenon {

// Bytes of the character that a text begins with, 0 where it begins with none.
[[nodiscard]] inline size_t character_length(std::string_view text) {
  const size_t most = std::min<size_t>(text.size(), 4);
  for (size_t length = 1; length <= most; ++length) {
    if (utf8::is_valid(text.substr(0, length))) return length;
  }
  return 0;
}

// The text with `instead` for each byte that is no UTF-8; U+FFFD where nothing else is said.
[[nodiscard]] inline std::string utf8_of(std::string_view text, std::string_view instead = "\xEF\xBF\xBD") {
  std::string out;
  for (size_t bad = utf8::find_invalid(text); bad != std::string_view::npos; bad = utf8::find_invalid(text)) {
    out.append(text.substr(0, bad)).append(instead);
    text.remove_prefix(bad + 1);
  }
  return out.append(text);
}

}  // namespace tenon
