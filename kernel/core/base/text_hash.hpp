// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Hash of a text, for tables whose order nobody sees: eight bytes a step, each a multiplication whose halves are
// folded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tenon::internal {

struct text_hash {
  using is_transparent = void;
  using is_avalanching = void;  // tables need not mix it further

  size_t operator()(std::string_view text) const {
    constexpr uint64_t first = 0x9e3779b97f4a7c15, second = 0xd6e8feb86659fd93;  // odd, their bits evenly mixed
    const char *at = text.data();
    size_t left = text.size();
    uint64_t hash = first ^ left;
    for (; left > 8; at += 8, left -= 8) hash = fold(hash ^ load<uint64_t>(at), second);
    uint64_t last = 0;
    if (left >= 4) {  // the two halves overlap
      last = load<uint32_t>(at) << 32 | load<uint32_t>(at + left - 4);
    } else if (left != 0) {
      last = load<uint8_t>(at) << 16 | load<uint8_t>(at + left / 2) << 8 | load<uint8_t>(at + left - 1);
    }
    return fold(hash ^ last, first ^ second);
  }

 private:
  static uint64_t fold(uint64_t a, uint64_t b) {
    __extension__ using wide = unsigned __int128;
    const wide product = wide{a} * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }

  template <class Word>
  static uint64_t load(const char *from) {
    Word word = 0;
    std::memcpy(&word, from, sizeof word);
    return word;
  }
};

}  // namespace tenon::internal
