// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "base/module_words.hpp"

#include <algorithm>

#include "base/name_pattern_tree.hpp"

namespace tenon::internal {

std::string module_words::readable() const {
  std::string_view words(room_.data(), std::min<uint64_t>(message_.length, room_.size()));
  std::string out;
  while (!words.empty()) {
    const std::string_view before = words;
    const char32_t c = pattern::take_character(words);
    const std::string_view bytes = before.substr(0, before.size() - words.size());
    if (c < 0x20 || c == 0x7f) {
      out += ' ';
    } else if (c == 0xFFFD && bytes.size() == 1) {
      out += '?';
    } else {
      out += bytes;
    }
  }
  return out;
}

}  // namespace tenon::internal
