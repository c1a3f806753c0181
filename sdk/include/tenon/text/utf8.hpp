// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// UTF-8, as utf8cpp reads it (RFC 3629: no surrogates, nothing longer than needed, nothing beyond U+10FFFF). Whether a
// text is UTF-8 says utf8::is_valid.
#pragma once

#include <utf8.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace tenon {

// Returns the number of bytes of the character that a text begins with, or 0 if the text begins with none.
[[nodiscard]] inline size_t character_length(std::string_view text) {
  const size_t most = std::min<size_t>(text.size(), 4);
  for (size_t length = 1; length <= most; ++length) {
    if (utf8::is_valid(text.substr(0, length))) return length;
  }
  return 0;
}

// True if a character begins with this byte. The other bytes go on with one.
[[nodiscard]] constexpr bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

// Returns the number of characters of a text that is UTF-8.
[[nodiscard]] inline size_t characters_of(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

// Returns the beginning of a text with at most `most` bytes, which ends with a whole character.
[[nodiscard]] inline std::string_view beginning_of(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && !begins_character(text[most])) --most;
  return text.substr(0, most);
}

// Returns the text with `instead` for each byte that is no UTF-8. The default is U+FFFD.
[[nodiscard]] inline std::string utf8_of(std::string_view text, std::string_view instead = "\xEF\xBF\xBD") {
  std::string out;
  for (size_t bad = utf8::find_invalid(text); bad != std::string_view::npos; bad = utf8::find_invalid(text)) {
    out.append(text.substr(0, bad)).append(instead);
    text.remove_prefix(bad + 1);
  }
  return out.append(text);
}

}  // namespace tenon
