// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/config/problems.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <limits>

namespace tenon::config {

namespace {

constexpr size_t longest_word = 64;  // longer ones are not compared: nobody mistypes those
constexpr size_t longest_quotation = 80;
constexpr size_t longest_reason = 1'000;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Costs count half steps, so that a wrong letter case costs one and any other edit two.
size_t substitution_cost(char a, char b) {
  if (a == b) return 0;
  return lower(a) == lower(b) ? 1 : 2;
}

// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours.
size_t edit_cost(std::string_view a, std::string_view b) {
  const size_t width = b.size() + 1;
  std::vector<size_t> before_last(width), last(width), current(width);
  for (size_t j = 0; j < width; ++j) last[j] = 2 * j;
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = 2 * i;
    for (size_t j = 1; j < width; ++j) {
      current[j] = std::min({last[j] + 2, current[j - 1] + 2, last[j - 1] + substitution_cost(a[i - 1], b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], before_last[j - 2] + 2);
    }
    std::swap(before_last, last);
    std::swap(last, current);
  }
  return last[b.size()];
}

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
  if (word.empty() || word.size() > longest_word) return {};
  std::string_view best;
  size_t best_cost = std::numeric_limits<size_t>::max();
  for (const std::string_view candidate : candidates) {
    const size_t longer = std::max(word.size(), candidate.size()), shorter = std::min(word.size(), candidate.size());
    if (longer - shorter > longer / 3) continue;  // more letters missing than may be wrong
    const size_t cost = edit_cost(word, candidate);
    if (cost < best_cost) {
      best = candidate;
      best_cost = cost;
    }
  }
  // A third of the letters may be wrong; a word in the wrong letter case alone always qualifies.
  const size_t allowed = std::max<size_t>(2, 2 * std::max(word.size(), best.size()) / 3);
  const bool same_letters =
      best.size() == word.size() &&
      std::equal(word.begin(), word.end(), best.begin(), [](char a, char b) { return lower(a) == lower(b); });
  return best_cost <= allowed || same_letters ? best : std::string_view{};
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
