// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "trace/trace_field.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
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
