// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "yaml_text.hpp"

#include <algorithm>

#include "tenon/text/letters.hpp"
#include "tenon/text/utf8.hpp"

namespace tenon::config {

std::optional<bad_byte> find_bad_byte(std::string_view text) {
  text_position at{1, 1};
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    const size_t length = character_length(text.substr(i));
    if (length == 0) return bad_byte{at, "bytes that are not UTF-8"};
    if (is_control(c) && c != '\t' && c != '\n' && c != '\r') {
      return bad_byte{at, "the control character " + std::to_string(c)};
    }
    i += length;
    ++at.column;
    if (c == '\n') at = {at.line + 1, 1};
  }
  return std::nullopt;
}

namespace {

// The bytes of a character at the beginning that looks like a blank, or like nothing, and is no blank to YAML; 0: none.
size_t odd_blank_length(std::string_view text) {
  for (const std::string_view odd : {"\xC2\xA0", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80", "\xEF\xBB\xBF"})
    if (text.starts_with(odd)) return odd.size();
  const bool wide = text.starts_with("\xE2\x80") && text.size() > 2;  // U+2000 to U+200B
  const auto last = wide ? static_cast<unsigned char>(text[2]) : 0U;
  return last >= 0x80 && last <= 0x8B ? 3 : 0;
}

}  // namespace

std::optional<bad_byte> find_odd_blank(std::string_view text) {
  text_position at{1, 1};
  char quote = 0, before = '\n';  // before: the last that is not a blank
  bool in_comment = false;
  for (size_t i = 0; i < text.size(); i += character_length(text.substr(i)), ++at.column) {
    const char c = text[i];
    if (c == '\n') {
      at = {at.line + 1, 0};
      quote = 0;
      before = '\n';
      in_comment = false;
    } else if (in_comment || c == ' ' || c == '\t' || c == '\r') {
      continue;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
      before = c;
    } else if (odd_blank_length(text.substr(i)) != 0) {
      if (std::string_view("\n:-,").find(before) != std::string_view::npos)
        return bad_byte{
            at, text.substr(i).starts_with("\xC2") ? "a no-break space" : "a character that looks like a blank"};
      before = c;
    } else {
      const bool begins = std::string_view("\n:-,[{").find(before) != std::string_view::npos;
      if ((c == '\'' || c == '"') && begins) quote = c;
      in_comment = c == '#';
      before = c;
    }
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
  last_ = {line, wanted, last_.characters + static_cast<int>(characters_of(between))};
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
