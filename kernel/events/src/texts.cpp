// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "texts.hpp"

#include "tenon/text/utf8.hpp"

namespace tenon::events {

std::string shortened(std::string_view text) {
  constexpr std::string_view more = "...";
  // No byte beyond these can become part of the message.
  std::string out = utf8_of(text.substr(0, longest_message + 4));
  if (out.size() <= longest_message) return out;
  out.resize(beginning_of(out, longest_message - more.size()).size());
  return out += more;
}

}  // namespace tenon::events
