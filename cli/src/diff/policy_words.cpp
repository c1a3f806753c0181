// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "diff/policy_words.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>

namespace tenon::cli {
namespace {

constexpr uint64_t top_bit = uint64_t{1} << 63;
// Of doubles such as shares and scores. Words of integers that people would count are no such doubles.
constexpr double least_real = 1e-12, most_real = 1e15;
constexpr uint64_t most_counted = uint64_t{1} << 53;

template <class Number>
std::string decimal_of(Number value) {
  char out[32];
  const auto end = std::to_chars(std::begin(out), std::end(out), value);
  return std::string(out, end.ptr);
}

std::string_view what_is(module_kind kind) {
  switch (kind) {
    case module_kind::queue_sort:
      return "queue";
    case module_kind::app_sort:
      return "application";
    default:
      return "node";
  }
}

}  // namespace

std::string hex_digits(uint64_t key_word) {
  const std::string digits = [&] {
    char out[16];
    const auto end = std::to_chars(std::begin(out), std::end(out), key_word, 16);
    return std::string(out, end.ptr);
  }();
  return std::string(16 - digits.size(), '0') + digits;
}

std::string number_in(uint64_t key_word) {
  const auto real = std::bit_cast<double>((key_word & top_bit) != 0 ? key_word ^ top_bit : ~key_word);
  if (std::abs(real) >= least_real && std::abs(real) <= most_real) return decimal_of(real);
  if (key_word < most_counted) return decimal_of(key_word);
  const auto whole = static_cast<int64_t>(key_word ^ top_bit);
  if (whole > -static_cast<int64_t>(most_counted) && whole < static_cast<int64_t>(most_counted))
    return decimal_of(whole);
  return "0x" + hex_digits(key_word);
}

std::string words_of(const policy_answer &said) {
  std::string out(entry_of(said.kind).name());
  out += ' ' + said.policy;
  if (!said.among.empty()) out += " in " + said.among;
  if (!said.ask.empty()) out += " for " + said.ask;
  out += ": " + std::string(what_is(said.kind)) + ' ' + said.item + ": ";
  if (said.failed) {
    out += "the module failed";
  } else if (said.kind == module_kind::predicate) {
    out += said.verdict + (said.reason.empty() ? "" : ", " + said.reason);
  } else {
    out += "key";
    for (const uint64_t word : said.key) out += ' ' + number_in(word);
    if (said.not_before_ms == TENON_NOT_NOW) out += ", left out until something changes";
    if (said.not_before_ms != TENON_NOT_NOW && said.not_before_ms != INT64_MIN)
      out += ", left out until " + decimal_of(said.not_before_ms);
  }
  for (const auto &[column, value] : said.columns) out += "; " + column + ": " + value;
  return out;
}

}  // namespace tenon::cli
