// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "column_texts.hpp"

#include <utf8.h>

#include <algorithm>
#include <charconv>

namespace tenon::events_postgresql {
namespace {

void append_byte(std::string &out, char c) {
  static constexpr std::string_view digits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  out += {'\\', 'x', digits[byte >> 4U], digits[byte & 15U]};
}

}  // namespace

std::string stored_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto valid = static_cast<size_t>(utf8::find_invalid(text.begin(), text.end()) - text.begin());
    for (const char c : text.substr(0, valid)) {
      if (c == '\0') {
        append_byte(out, c);
      } else {
        if (c == '\\') out += c;
        out += c;
      }
    }
    if (valid < text.size()) append_byte(out, text[valid]);
    text.remove_prefix(std::min(valid + 1, text.size()));
  }
  return out;
}

std::string read_text(std::string_view stored) {
  std::string out;
  for (size_t at = 0; at < stored.size(); ++at) {
    if (stored[at] != '\\' || at + 1 == stored.size()) {
      out += stored[at];
    } else if (stored[++at] == 'x') {
      unsigned char byte = 0;
      const char *end = stored.data() + std::min(at + 3, stored.size());
      std::from_chars(stored.data() + at + 1, end, byte, 16);
      out += static_cast<char>(byte);
      at += 2;
    } else {
      out += stored[at];
    }
  }
  return out;
}

void array_parameter::add_raw(std::string_view value) {
  if (out_.size() > 1) out_ += ',';
  out_ += value;
}

void array_parameter::add(std::string_view value) {
  add_raw("\"");
  for (const char c : stored_text(value)) {
    if (c == '"' || c == '\\') out_ += '\\';
    out_ += c;
  }
  out_ += '"';
}

std::string array_parameter::finished() && {
  out_ += '}';
  return std::move(out_);
}

}  // namespace tenon::events_postgresql
