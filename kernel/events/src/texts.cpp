// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "texts.hpp"

#include <algorithm>

namespace tenon::events {
namespace {

// Bytes of the UTF-8 character that the text begins with, 0 where it begins with none (RFC 3629, table of well-formed
// sequences).
size_t first_character(std::string_view text) {
  const auto byte = [&](size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
  const auto in = [&](size_t at, unsigned from, unsigned to) { return byte(at) >= from && byte(at) <= to; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  unsigned from = 0x80, to = 0xBF;
  if (lead == 0xE0) from = 0xA0;  // overlong
  if (lead == 0xF0) from = 0x90;
  if (lead == 0xED) to = 0x9F;  // surrogates
  if (lead == 0xF4) to = 0x8F;  // beyond U+10FFFF
  if (!in(1, from, to)) return 0;
  for (size_t at = 2; at < length; ++at) {
    if (!in(at, 0x80, 0xBF)) return 0;
  }
  return length;
}

}  // namespace

std::string as_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t length = first_character(text);
    out += length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

std::string shortened(std::string_view text) {
  constexpr std::string_view more = "...";
  // No byte beyond these can become part of the message.
  std::string out = as_utf8(text.substr(0, longest_message + 4));
  if (out.size() <= longest_message) return out;
  size_t end = longest_message - more.size();
  while ((static_cast<unsigned char>(out[end]) & 0xC0U) == 0x80) --end;  // not inside a character
  out.resize(end);
  return out += more;
}

}  // namespace tenon::events
