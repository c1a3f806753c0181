// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Times of the calendar, in UTC.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace tenon {

// Returns a Unix time in milliseconds as "2026-11-21T17:00:00.123Z".
[[nodiscard]] inline std::string utc_text(int64_t unix_ms) {
  using namespace std::chrono;
  const sys_time<milliseconds> at{milliseconds(unix_ms)};
  const auto day = floor<days>(at);
  const year_month_day date(day);
  const hh_mm_ss time(at - day);
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()), static_cast<int>(time.subseconds().count()));
  return out.data();
}

// Returns a Unix time in milliseconds as "2026-11-21T17:00:00Z".
[[nodiscard]] inline std::string utc_text_in_seconds(int64_t unix_ms) {
  std::string out = utc_text(unix_ms);
  return out.replace(out.find('.'), std::string::npos, "Z");
}

}  // namespace tenon
