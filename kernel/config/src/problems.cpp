// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/config/problems.hpp"

#include <algorithm>
#include <cstdio>

#include "tenon/kernel/closest.hpp"

namespace tenon::config {

namespace {

constexpr size_t longest_quotation = 80;
constexpr size_t longest_reason = 1'000;

// Reasons quote what was written, and anything may have been written.
std::string one_line(std::string text) {
  if (text.size() > longest_reason) {
    size_t end = longest_reason;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text = text.substr(0, end) + "...";
  }
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  return text;
}

}  // namespace

void problems::refuse(text_position at, std::string have, std::string want, std::string fix) {
  ++refused_;
  if (fix.empty()) fix = want.empty() ? "correct the text at this place" : "write " + want;
  add(refusals_, at, std::move(have), std::move(want), std::move(fix));
}

void problems::warn(text_position at, std::string have, std::string want, std::string fix) {
  add(warnings_, at, std::move(have), std::move(want), std::move(fix));
}

void problems::add(std::vector<refusal> &to, text_position at, std::string have, std::string want, std::string fix) {
  if (to.size() >= limit_) return;
  for (std::string *part : {&have, &want, &fix}) *part = one_line(std::move(*part));
  to.push_back({where(at), std::move(want), std::move(have), std::move(fix)});
}

std::string problems::where(text_position at) const {
  if (at.line <= 0) return file_name_;
  return file_name_ + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

std::string_view closest(std::string_view word, std::span<const std::string_view> candidates) {
  return tenon::closest(word, candidates);
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  if (const auto near = closest(word, candidates); !near.empty()) return "did you mean '" + std::string(near) + "'?";
  std::string out;
  for (const std::string_view candidate : candidates) {
    out += out.empty() ? "one of: " : ", ";
    out += candidate;
  }
  return out;
}

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // Cut before a character, never inside of one.
    if (i >= longest_quotation && (c & 0xC0U) != 0x80U) {
      out += "...";
      break;
    }
    if (c < 0x20 || c == 0x7F) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += text[i];
    }
  }
  return out + "'";
}

}  // namespace tenon::config
