// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// An expression as a tree, between its text and its program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/kernel/refusal.hpp"

namespace tenon::pattern {

inline constexpr char32_t last_character = 0x10FFFF;
inline constexpr char32_t bad_character = 0xFFFD;
inline constexpr int endless = -1;
inline constexpr int most_repeats = 1'000;

using ranges = std::vector<std::pair<char32_t, char32_t>>;

enum class assertion : uint8_t { text_begin, text_end, line_begin, line_end, word_edge, no_word_edge };

struct node {
  enum class kind : uint8_t { nothing, characters, check, sequence, choice, repeat };
  kind what = kind::nothing;
  ranges set;  // characters; empty: none matches
  assertion check = assertion::text_begin;
  std::vector<node> parts;  // sequence, choice: all of them; repeat: the one
  int least = 0;
  int most = endless;
};

// Takes the first character of `text`; a byte that is no UTF-8 is one U+FFFD.
[[nodiscard]] char32_t take_character(std::string_view &text);

[[nodiscard]] inline bool is_word_character(int64_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Reads an expression of RE2's syntax.
[[nodiscard]] result<node> parse_expression(std::string_view text);

}  // namespace tenon::pattern
