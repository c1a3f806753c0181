// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/duration.hpp"

#include <array>
#include <limits>

namespace tenon {

namespace {

struct duration_unit {
  std::string_view name;
  uint64_t ns;
};

// Longer names first: "ms" is not "m" with an "s" behind it.
constexpr std::array<duration_unit, 8> units{{{"ns", 1},
                                              {"us", 1'000},
                                              {"\xC2\xB5s", 1'000},  // micro sign
                                              {"\xCE\xBCs", 1'000},  // Greek mu
                                              {"ms", 1'000'000},
                                              {"s", 1'000'000'000},
                                              {"m", 60'000'000'000},
                                              {"h", 3'600'000'000'000}}};

constexpr uint64_t limit = uint64_t{1} << 63U;  // one beyond int64, which -2^63 needs

bool is_digit(char c) { return c >= '0' && c <= '9'; }

refusal no_duration(std::string_view text, std::string why) {
  return {{},
          "a duration like 30s, 500ms or 1h30m",
          "'" + std::string(text.substr(0, 64)) + "' is no duration: " + std::move(why),
          "write a number with a unit out of ns, us, ms, s, m, h"};
}

// Reads digits into `out`; false on overflow.
bool take_digits(std::string_view &rest, uint64_t &out) {
  while (!rest.empty() && is_digit(rest[0])) {
    const auto digit = static_cast<uint64_t>(rest[0] - '0');
    if (out > (limit - digit) / 10) return false;
    out = out * 10 + digit;
    rest.remove_prefix(1);
  }
  return true;
}

// The digits behind the point, as nanoseconds of `unit`. Digits beyond what a double carries do not count.
uint64_t fraction_ns(std::string_view digits, uint64_t unit_ns) {
  uint64_t value = 0;
  double scale = 1;
  for (const char c : digits) {
    if (value > (limit - 9) / 10) break;
    value = value * 10 + static_cast<uint64_t>(c - '0');
    scale *= 10;
  }
  return static_cast<uint64_t>(static_cast<double>(value) * (static_cast<double>(unit_ns) / scale));
}

// "12.5s" -> "12.5", "s"; false where the number or the unit is missing.
bool take_number(std::string_view &rest, uint64_t &whole, std::string_view &fraction, std::string &why) {
  const size_t before = rest.size();
  if (!take_digits(rest, whole)) {
    why = "too long";
    return false;
  }
  bool any_digit = rest.size() != before;
  if (!rest.empty() && rest[0] == '.') {
    rest.remove_prefix(1);
    size_t n = 0;
    while (n < rest.size() && is_digit(rest[n])) ++n;
    fraction = rest.substr(0, n);
    rest.remove_prefix(n);
    any_digit = any_digit || n > 0;
  }
  if (!any_digit) why = "no number";
  return any_digit;
}

const duration_unit *take_unit(std::string_view &rest) {
  for (const duration_unit &unit : units) {
    if (!rest.starts_with(unit.name)) continue;
    // A unit ends where the next number begins.
    const std::string_view behind = rest.substr(unit.name.size());
    if (!behind.empty() && !is_digit(behind[0]) && behind[0] != '.') continue;
    rest = behind;
    return &unit;
  }
  return nullptr;
}

void append_fraction(std::string &out, uint64_t value, int digits) {
  std::string text(static_cast<size_t>(digits), '0');
  for (int i = digits; i-- > 0; value /= 10) text[static_cast<size_t>(i)] = static_cast<char>('0' + value % 10);
  const size_t last = text.find_last_not_of('0');
  if (last != std::string::npos) out += "." + text.substr(0, last + 1);
}

}  // namespace

result<int64_t> parse_duration_ns(std::string_view text) {
  std::string_view rest = text;
  bool negative = false;
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) {
    negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  if (rest == "0") return int64_t{0};
  if (rest.empty()) return no_duration(text, "no number");
  uint64_t total = 0;
  while (!rest.empty()) {
    uint64_t whole = 0;
    std::string_view fraction;
    std::string why;
    if (!take_number(rest, whole, fraction, why)) return no_duration(text, why);
    const duration_unit *unit = take_unit(rest);
    if (unit == nullptr) return no_duration(text, rest.empty() ? "no unit" : "unknown unit");
    if (whole > limit / unit->ns) return no_duration(text, "too long");
    const uint64_t part = whole * unit->ns + fraction_ns(fraction, unit->ns);
    if (part > limit || total + part > limit) return no_duration(text, "too long");
    total += part;
  }
  if (negative) return static_cast<int64_t>(0 - total);
  if (total >= limit) return no_duration(text, "too long");
  return static_cast<int64_t>(total);
}

result<int64_t> parse_duration_ms(std::string_view text) {
  const auto ns = parse_duration_ns(text);
  if (!ns) return ns.why();
  if (*ns != 0 && *ns > -1'000'000 && *ns < 1'000'000) return no_duration(text, "shorter than a millisecond");
  return *ns / 1'000'000;
}

std::string format_duration_ns(int64_t ns) {
  if (ns == 0) return "0s";
  const bool negative = ns < 0;
  const uint64_t value = negative ? 0 - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  std::string out = negative ? "-" : "";
  if (value < 1'000) return out + std::to_string(value) + "ns";
  if (value < 1'000'000) {
    out += std::to_string(value / 1'000);
    append_fraction(out, value % 1'000, 3);
    return out + "\xC2\xB5s";
  }
  if (value < 1'000'000'000) {
    out += std::to_string(value / 1'000'000);
    append_fraction(out, value % 1'000'000, 6);
    return out + "ms";
  }
  const uint64_t seconds = value / 1'000'000'000;
  if (seconds >= 3'600) out += std::to_string(seconds / 3'600) + "h";
  if (seconds >= 60) out += std::to_string(seconds / 60 % 60) + "m";
  out += std::to_string(seconds % 60);
  append_fraction(out, value % 1'000'000'000, 9);
  return out + "s";
}

std::string format_duration_ms(int64_t ms) {
  constexpr int64_t top = std::numeric_limits<int64_t>::max() / 1'000'000;
  if (ms > top) return format_duration_ns(std::numeric_limits<int64_t>::max());
  if (ms < -top) return format_duration_ns(std::numeric_limits<int64_t>::min());
  return format_duration_ns(ms * 1'000'000);
}

}  // namespace tenon
