// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "trace/trace_field.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

namespace tenon::cli {
namespace {

constexpr double most_seconds = 0x1p40;

template <class Number>
std::string in_words(Number number) {
  if (number == std::floor(static_cast<double>(number))) return std::to_string(static_cast<int64_t>(number));
  return std::to_string(number);
}

}  // namespace

std::string place_in(const std::string &file, size_t line, size_t column) {
  return file + ":" + std::to_string(line) + ":" + std::to_string(column);
}

void trace_field::refuse(std::string want, std::string fix) const {
  throw refused_trace{{place_in(*file_, line_, column_) + ": " + std::string(name_), std::move(want),
                       "'" + std::string(text_) + "'", std::move(fix)}};
}

int64_t trace_field::whole(int64_t least, int64_t most) const {
  int64_t value = 0;
  const char *end_of_text = text_.data() + text_.size();
  const auto [end, problem] = std::from_chars(text_.data(), end_of_text, value);
  if (problem != std::errc() || end != end_of_text || value < least || value > most) {
    refuse("a whole number from " + std::to_string(least) + " to " + std::to_string(most), "correct the field");
  }
  return value;
}

double trace_field::decimal(double least, double most) const {
  double value = 0;
  const char *end_of_text = text_.data() + text_.size();
  const auto [end, problem] = std::from_chars(text_.data(), end_of_text, value, std::chars_format::fixed);
  const bool number = problem == std::errc() && end == end_of_text && std::isfinite(value);
  if (!number || value < least || value > most) {
    refuse("a number from " + in_words(least) + " to " + in_words(most), "correct the field");
  }
  return value;
}

int64_t trace_field::seconds_as_ms(double least) const {
  return static_cast<int64_t>(std::llround(decimal(least, most_seconds) * 1000.0));
}

int64_t trace_field::timestamp_ms() const {
  // Digits stand where the pattern has a 0.
  constexpr std::string_view pattern = "0000-00-00 00:00:00";
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  bool fits = text_.size() == pattern.size();
  for (size_t i = 0; fits && i < pattern.size(); ++i) {
    fits = pattern[i] == '0' ? is_digit(text_[i]) : text_[i] == pattern[i];
  }
  const auto number = [&](size_t at, size_t digits) {
    int value = 0;
    std::from_chars(text_.data() + at, text_.data() + at + digits, value);
    return value;
  };
  if (fits) {
    using namespace std::chrono;
    const auto day = year(number(0, 4)) / month(static_cast<unsigned>(number(5, 2))) /
                     std::chrono::day(static_cast<unsigned>(number(8, 2)));
    const int hour = number(11, 2), minute = number(14, 2), second = number(17, 2);
    if (day.ok() && hour < 24 && minute < 60 && second < 60) {
      const auto at = sys_days(day) + hours(hour) + minutes(minute) + seconds(second);
      return duration_cast<milliseconds>(at.time_since_epoch()).count();
    }
  }
  refuse("a time like 2017-10-09 07:01:55", "correct the field");
}

std::string trace_field::name() const {
  if (text_.empty()) refuse("a name", "give it one");
  return std::string(text_);
}

std::string trace_field::queue_name() const {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; };
  if (text_.empty() || text_.size() > 64 || !std::all_of(text_.begin(), text_.end(), fits)) {
    refuse("a name that a queue can have", "use letters, digits, - and _");
  }
  return std::string(text_);
}

}  // namespace tenon::cli
