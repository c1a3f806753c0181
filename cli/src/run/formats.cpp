// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "run/formats.hpp"

#include <fmt/chrono.h>

#include <chrono>
#include <cmath>

namespace tenon::cli {
namespace {

constexpr double minute = 60, hour = 3600, day = 86'400;

}  // namespace

std::string percent(double part) { return std::isnan(part) ? "–" : decimal(part * 100, 1) + "%"; }

std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, "\u202F");
  }
  return digits;
}

std::string duration_text(double seconds) {
  const auto three = [](double value) { return decimal(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0); };
  if (seconds <= 0) return "0 s";
  if (seconds < 0.9995) return three(seconds * 1000) + " ms";
  if (seconds < 99.5) return three(seconds) + " s";
  if (seconds < 99.5 * minute) return three(seconds / minute) + " min";
  if (seconds < 48 * hour) return three(seconds / hour) + " h";
  return three(seconds / day) + " days";
}

std::string date_text(int64_t ms) {
  const std::tm at = fmt::gmtime(std::chrono::floor<std::chrono::seconds>(
      std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(ms))));
  return fmt::format("{} {:%b %Y, %H:%M}", at.tm_mday, at);
}

}  // namespace tenon::cli
