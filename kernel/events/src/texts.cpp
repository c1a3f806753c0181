// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "texts.hpp"

#include "tenon/kernel/utf8.hpp"

namespace tenon::events {

std::string shortened(std::string_view text) {
  constexpr std::string_view more = "...";
  // No byte beyond these can become part of the message.
  std::string out = utf8_of(text.substr(0, longest_message + 4));
  if (out.size() <= longest_message) return out;
  size_t end = longest_message - more.size();
  while ((static_cast<unsigned char>(out[end]) & 0xC0U) == 0x80) --end;  // not inside a character
  out.resize(end);
  return out += more;
}

}  // namespace tenon::events
