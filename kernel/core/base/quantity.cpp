// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>

namespace tenon {
namespace {

constexpr std::string_view blanks = " \t\n\f\r";
constexpr std::string_view milli_type = "vcore";

struct suffix_scale {
  std::string_view suffix;
  int64_t factor;
};
constexpr std::array<suffix_scale, 13> scales{{
    {"", 1},
    {"k", 1'000},
    {"M", 1'000'000},
    {"G", 1'000'000'000},
    {"T", 1'000'000'000'000},
    {"P", 1'000'000'000'000'000},
    {"E", 1'000'000'000'000'000'000},
    {"Ki", int64_t{1} << 10},
    {"Mi", int64_t{1} << 20},
    {"Gi", int64_t{1} << 30},
    {"Ti", int64_t{1} << 40},
    {"Pi", int64_t{1} << 50},
    {"Ei", int64_t{1} << 60},
}};

std::optional<int64_t> factor_of(std::string_view suffix) {
  for (const suffix_scale &s : scales) {
    if (s.suffix == suffix) return s.factor;
  }
  return std::nullopt;
}

// Letters that look like a suffix, of which some are none ("K", "ki"): they deserve another remedy.
bool looks_like_suffix(std::string_view s) {
  return s.size() <= 2 && std::string_view("mkKMGTPE").find(s[0]) != std::string_view::npos &&
         (s.size() == 1 || s[1] == 'i');
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

refusal refuse(std::string_view type, std::string_view text, std::string why, std::string fix) {
  const bool milli = type == milli_type;
  return {.where = {},
          .want = std::string("a whole number with one of the suffixes k M G T P E Ki Mi Gi Ti Pi Ei") +
                  (milli ? " or m" : ""),
          .have = std::move(why) + " '" + std::string(text) + "'",
          .fix = std::move(fix)};
}

// The amount of a decimal text, where it is a whole number of the type's smallest unit: thousandths of vcore, bytes.
std::optional<int64_t> decimal_amount(std::string_view text, bool milli) {
  const size_t point = text.find('.');
  const size_t end = std::min(text.find_first_not_of("0123456789", point + 1), text.size());
  const std::string_view whole = text.substr(0, point), part = text.substr(point + 1, end - point - 1);
  const auto factor = factor_of(trim(text.substr(end)));
  if (whole.size() + part.size() == 0 || !factor) return std::nullopt;
  const std::string digits = std::string(whole) + std::string(part);
  int64_t amount = 0;
  const bool is_number = std::from_chars(digits.data(), digits.data() + digits.size(), amount).ec == std::errc();
  if (!is_number || __builtin_mul_overflow(amount, *factor, &amount) ||
      (milli && __builtin_mul_overflow(amount, int64_t{1000}, &amount)))
    return std::nullopt;
  for (size_t i = 0; i < part.size(); ++i, amount /= 10)
    if (amount % 10 != 0) return std::nullopt;
  return amount;
}

// The shortest text of an amount in bytes or pieces with one of the suffixes, those by 1024 where `binary`.
std::string shortest(int64_t amount, bool binary) {
  std::string out = std::to_string(amount);
  for (const suffix_scale &s : scales) {
    if (amount == 0 || amount % s.factor != 0 || (s.suffix.size() == 2) != binary) continue;
    if (std::string text = std::to_string(amount / s.factor) + std::string(s.suffix); text.size() < out.size())
      out = std::move(text);
  }
  return out;
}

// What to write instead of a text that is no quantity.
std::string remedy(std::string_view text, bool milli) {
  if (text.empty()) return milli ? "write a number, e.g. 1500m for one and a half" : "write a number, e.g. 500M";
  if (text[0] == '-') return "leave the key out: a type that is not named has no limit";
  const bool has_point = text.find('.') < text.find_first_not_of("0123456789.");
  const auto amount = has_point ? decimal_amount(text, milli) : std::nullopt;
  if (amount && *amount > 0)
    return "write " + (milli ? std::to_string(*amount) + "m" : shortest(*amount, text.back() == 'i'));
  return milli ? "write it without sign, decimals or exponent, e.g. 1500m for one and a half"
               : "write it without sign, decimals or exponent, e.g. 500M";
}

}  // namespace

result<int64_t> parse_quantity(std::string_view type, std::string_view text) {
  const bool milli = type == milli_type;
  const std::string_view trimmed = trim(text);
  const size_t digits = std::min(trimmed.find_first_not_of("0123456789"), trimmed.size());
  const std::string_view suffix = trim(trimmed.substr(digits));
  if (digits == 0 || (!suffix.empty() && !looks_like_suffix(suffix))) {
    return refuse(type, text, "invalid quantity", remedy(trimmed, milli));
  }

  const bool in_milli = milli && suffix == "m";
  const auto factor = in_milli ? std::optional<int64_t>(1) : factor_of(suffix);
  if (!factor) {
    return refuse(type, text, "invalid suffix in quantity",
                  suffix == "m" ? "leave m out, or write M for millions: only vcore has thousandths"
                                : "suffixes are case sensitive: k, Ki, M, Mi");
  }

  int64_t amount = 0;
  const bool overflow = std::from_chars(trimmed.data(), trimmed.data() + digits, amount).ec != std::errc() ||
                        __builtin_mul_overflow(amount, *factor, &amount) ||
                        (milli && !in_milli && __builtin_mul_overflow(amount, int64_t{1000}, &amount));
  if (overflow) return refuse(type, text, "invalid quantity: overflow", "write less than 2^63");
  return amount;
}

bool counts_bytes(std::string_view type) {
  return type == "memory" || type == "ephemeral-storage" || type.starts_with("hugepages-");
}

std::string format_quantity(std::string_view type, int64_t amount) {
  if (type == milli_type) {
    return amount % 1'000 == 0 ? std::to_string(amount / 1'000) : std::to_string(amount) + "m";
  }
  constexpr std::array<std::string_view, 7> units{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  size_t unit = 0;
  const bool scaled = counts_bytes(type) && amount != 0;
  for (; scaled && amount % 1'024 == 0 && unit + 1 < units.size(); ++unit) amount /= 1'024;
  return std::to_string(amount) + std::string(units[unit]);
}

}  // namespace tenon
