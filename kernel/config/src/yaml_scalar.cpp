// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What scalars mean. The rules are those of the field's YAML library when it fills typed fields, so that an
// existing text keeps its meaning: "maxapplications: 010" is eight, "parent: yes" is true.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "tenon/config/yaml.hpp"

namespace tenon::config {

namespace {

template <size_t N>
bool one_of(std::string_view text, const std::array<std::string_view, N> &choices) {
  return std::find(choices.begin(), choices.end(), text) != choices.end();
}

constexpr std::array<std::string_view, 5> nulls{"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 3> trues{"true", "True", "TRUE"};
constexpr std::array<std::string_view, 3> falses{"false", "False", "FALSE"};
constexpr std::array<std::string_view, 8> old_trues{"y", "Y", "yes", "Yes", "YES", "on", "On", "ON"};
constexpr std::array<std::string_view, 8> old_falses{"n", "N", "no", "No", "NO", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 12> special_floats{".nan",  ".NaN",  ".NAN",  ".inf",  ".Inf",  ".INF",
                                                          "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct whole_number {
  bool negative = false;
  uint64_t magnitude = 0;
};

// Integers as they are written in YAML 1.1 and 1.2: sign, 0x, 0o, 0b, a leading 0 for octal, underscores.
std::optional<whole_number> parse_whole(std::string_view text) {
  if (text.empty() || text.size() > 128) return std::nullopt;
  if (!is_digit(text[0]) && text[0] != '-' && text[0] != '+') return std::nullopt;
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits), [](char c) { return c != '_'; });
  whole_number out;
  std::string_view rest = digits;
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) {
    out.negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  int base = 10;
  if (rest.size() > 1 && rest[0] == '0') {
    const char mark = static_cast<char>(rest[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    rest.remove_prefix(mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
  }
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), out.magnitude, base);
  if (rest.empty() || error != std::errc{} || end != rest.data() + rest.size()) return std::nullopt;
  return out;
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool looks_floating(std::string_view text) {
  size_t i = 0;
  const auto skip_digits = [&] {
    const size_t from = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i - from;
  };
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  size_t digits = skip_digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    digits += skip_digits();
  }
  if (digits == 0) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    if (skip_digits() == 0) return false;
  }
  return i == text.size();
}

std::optional<double> parse_floating(std::string_view text) {
  if (one_of(text, special_floats)) {
    if ((text[1] | 0x20) == 'n') return std::numeric_limits<double>::quiet_NaN();
    const double infinite = std::numeric_limits<double>::infinity();
    return text[0] == '-' ? -infinite : infinite;
  }
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits), [](char c) { return c != '_'; });
  if (!looks_floating(digits)) return std::nullopt;
  const char *from = digits.data() + (digits[0] == '+' ? 1 : 0);
  double out = 0;
  const auto [end, error] = std::from_chars(from, digits.data() + digits.size(), out);
  if (error == std::errc::result_out_of_range || end != digits.data() + digits.size()) return std::nullopt;
  return out;
}

}  // namespace

scalar_type resolve_scalar(std::string_view text) {
  if (one_of(text, nulls)) return scalar_type::null;
  if (one_of(text, trues) || one_of(text, falses)) return scalar_type::boolean;
  if (parse_whole(text)) return scalar_type::integer;
  if (parse_floating(text)) return scalar_type::floating;
  return scalar_type::text;
}

scalar_type yaml_node::type() const {
  if (what == kind::null) return scalar_type::null;
  return plain ? resolve_scalar(text) : scalar_type::text;
}

std::string yaml_node::describe() const {
  switch (what) {
    case kind::null:
      return "nothing";
    case kind::list:
      return "a list";
    case kind::map:
      return "a map";
    case kind::scalar:
      break;
  }
  switch (type()) {
    case scalar_type::null:
      return "nothing";
    case scalar_type::boolean:
      return "the boolean " + text;
    case scalar_type::integer:
    case scalar_type::floating:
      return "the number " + in_quotes(text);
    case scalar_type::text:
      break;
  }
  return "the text " + in_quotes(text);
}

std::optional<bool> yaml_node::as_boolean() const {
  if (what != kind::scalar) return std::nullopt;
  if (plain && one_of(text, trues)) return true;
  if (plain && one_of(text, falses)) return false;
  // The choices of YAML 1.1 are text in 1.2, and are understood quoted too.
  if (one_of(text, old_trues)) return true;
  if (one_of(text, old_falses)) return false;
  return std::nullopt;
}

std::optional<uint64_t> yaml_node::as_count() const {
  if (what != kind::scalar || !plain) return std::nullopt;
  if (const auto whole = parse_whole(text)) {
    if (whole->negative && whole->magnitude != 0) return std::nullopt;
    return whole->magnitude;
  }
  const auto floating = parse_floating(text);
  if (!floating || !(*floating >= 0) || *floating >= 18446744073709551616.0) return std::nullopt;
  return static_cast<uint64_t>(*floating);
}

std::optional<int64_t> yaml_node::as_integer() const {
  if (what != kind::scalar || !plain) return std::nullopt;
  const auto whole = parse_whole(text);
  if (!whole) return std::nullopt;
  constexpr uint64_t top = std::numeric_limits<int64_t>::max();
  if (whole->magnitude > top + (whole->negative ? 1 : 0)) return std::nullopt;
  return whole->negative ? static_cast<int64_t>(0 - whole->magnitude) : static_cast<int64_t>(whole->magnitude);
}

std::optional<double> yaml_node::as_number() const {
  if (what != kind::scalar || !plain) return std::nullopt;
  if (const auto whole = parse_whole(text)) {
    const auto magnitude = static_cast<double>(whole->magnitude);
    return whole->negative ? -magnitude : magnitude;
  }
  return parse_floating(text);
}

}  // namespace tenon::config
