// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/config/amounts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "tenon/kernel/quantity.hpp"
#include "tenon/text/letters.hpp"

namespace tenon::config {

namespace {

constexpr std::string_view begins_fix = "write ";

// True where a remedy says which quantity to write.
bool names_quantity(std::string_view fix) {
  return fix.starts_with(begins_fix) && fix.find_first_of("0123456789") == begins_fix.size();
}

// Returns "write 10G" for a quantity, or what to write for a text that can be written as one. Empty for any other text.
std::string quantity_for(std::string_view type, const std::string &text) {
  const auto read = parse_quantity(type, text);
  if (read) return std::string(begins_fix) + text;
  return names_quantity(read.why().fix) ? read.why().fix : std::string();
}

// What to write instead of a number and a word. Empty where the word says nothing.
std::string remedy(std::string_view type, std::string_view text) {
  const size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string number(text.substr(0, end));
  const size_t letter = std::min(text.find_first_not_of(' ', end), text.size());
  const std::string written = lower_case(text.substr(letter));
  std::string_view word = written;
  if (number.empty() || word.empty() || word == "m") return {};
  if (word == "%") return "write an amount: shares of a parent or of the cluster are not known";
  for (const std::string_view ending : {"bytes", "byte", "b"}) {
    if (!word.ends_with(ending)) continue;
    word.remove_suffix(ending.size());
    break;
  }
  std::string out;
  for (const std::string_view suffix : {"Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "k", "M", "G", "T", "P", "E"}) {
    const std::string letters = lower_case(suffix);
    if (letters != word && letters != std::string(word) + "i") continue;
    const std::string fix = quantity_for(type, number + std::string(suffix));
    if (fix.empty()) continue;
    out += out.empty() ? fix : ", or " + fix.substr(begins_fix.size()) + " where thousands are meant";
  }
  const bool is_word = std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return out.empty() && is_word ? quantity_for(type, number) : out;
}

}  // namespace

result<int64_t> read_quantity(std::string_view type, std::string_view text) {
  auto read = parse_quantity(type, text);
  if (read) return read;
  refusal why = read.why();
  std::string fix = names_quantity(why.fix) ? std::string() : remedy(type, text);
  if (!fix.empty()) why.fix = std::move(fix);
  return why;
}

std::string decimal(double value, int digits) {
  std::array<char, 400> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits).ptr;
  std::string out(text.data(), end);
  if (out.find('.') != std::string::npos) {
    out.erase(out.find_last_not_of('0') + 1);
    if (out.back() == '.') out.pop_back();
  }
  return out == "-0" ? "0" : out;
}

std::string amount_text(std::string_view type, int64_t amount) {
  if (type == "vcore") return decimal(static_cast<double>(amount) / 1000, 3);
  if (!counts_bytes(type)) return std::to_string(amount);
  constexpr std::array<std::string_view, 6> units{"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  auto value = static_cast<double>(amount);
  size_t unit = 0;
  for (; std::abs(value) >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  return decimal(value, 1) + std::string(units[unit]);
}

}  // namespace tenon::config
