// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "yaml_text.hpp"

#include <algorithm>

#include "tenon/kernel/utf8.hpp"

namespace tenon::config {

std::optional<bad_byte> find_bad_byte(std::string_view text) {
  text_position at{1, 1};
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const size_t length = character_length(text.substr(i));
    if (length == 0) return bad_byte{at, "bytes that are not UTF-8"};
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F) {
      return bad_byte{at, "the control character " + std::to_string(c)};
    }
    i += length;
    ++at.column;
    if (c == '\n') at = {at.line + 1, 1};
  }
  return std::nullopt;
}

line_index::line_index(std::string_view text) : text_(text), starts_{0} {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') starts_.push_back(i + 1);
  }
}

size_t line_index::line_start(int line) const {
  if (line < 0) return 0;
  return line < static_cast<int>(starts_.size()) ? starts_[static_cast<size_t>(line)] : text_.size();
}

std::string_view line_index::from(int line, int column) const {
  return text_.substr(std::min(text_.size(), line_start(line) + static_cast<size_t>(std::max(0, column))));
}

text_position line_index::position(int line, int column) const {
  const size_t wanted = static_cast<size_t>(std::max(0, column));
  if (line != last_.line || wanted < last_.column) last_ = {line, 0, 0};
  const std::string_view between =
      text_.substr(std::min(text_.size(), line_start(line) + last_.column)).substr(0, wanted - last_.column);
  const auto characters = std::count_if(between.begin(), between.end(),
                                        [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  last_ = {line, wanted, last_.characters + static_cast<int>(characters)};
  return {line + 1, last_.characters + 1};
}

text_position line_index::position_of_byte(size_t at) const {
  const auto behind = std::upper_bound(starts_.begin(), starts_.end(), at);
  if (behind == starts_.begin()) return position(0, static_cast<int>(at));
  return position(static_cast<int>(behind - starts_.begin()) - 1, static_cast<int>(at - *(behind - 1)));
}

bool line_index::has_leading_tab(int line) const {
  const size_t first = text_.find_first_not_of(' ', line_start(line));
  return first != std::string_view::npos && text_[first] == '\t';
}

int line_index::late_directive() const {
  bool begun = false;
  for (size_t line = 0; line < starts_.size(); ++line) {
    const std::string_view rest = text_.substr(starts_[line]);
    if (rest.starts_with('%') && begun) return static_cast<int>(line) + 1;
    const size_t first = rest.find_first_not_of(" \r");
    const char c = first == std::string_view::npos ? '\n' : rest[first];
    begun = begun || (c != '\n' && c != '#' && !rest.starts_with('%'));
  }
  return 0;
}

}  // namespace tenon::config
