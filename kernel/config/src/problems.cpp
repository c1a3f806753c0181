// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/config/problems.hpp"

#include <cstdio>

#include "tenon/kernel/closest.hpp"
#include "tenon/text/letters.hpp"
#include "tenon/text/utf8.hpp"

namespace tenon::config {

namespace {

constexpr size_t longest_quotation = 80;
constexpr size_t longest_reason = 1'000;

// Reasons quote what was written, and anything may have been written.
std::string one_line(const std::string &text) {
  const std::string_view shown = beginning_of(text, longest_reason);
  return without_controls(std::string(shown)) + (shown.size() < text.size() ? "..." : "");
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
  const std::string_view shown = beginning_of(text, longest_quotation);
  std::string out = "'";
  for (const char c : shown) {
    if (is_control(c)) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + (shown.size() < text.size() ? "...'" : "'");
}

}  // namespace tenon::config
