// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Numbers, durations and names as people read them, and as markup may hold them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/config/amounts.hpp"
#include "tenon/config/markup.hpp"

namespace tenon::cli {

using config::decimal;
using config::escaped;

// 0.681 is "68.1%"; NaN is "–".
[[nodiscard]] std::string percent(double part);
// With thin spaces: "107 235".
[[nodiscard]] std::string grouped(uint64_t number);
// "0 s", "340 ms", "42 s", "12 min", "3.4 h", "14.9 days": three digits at most.
[[nodiscard]] std::string duration_text(double seconds);
// At most `most` characters, the last one a mark that something is missing.
[[nodiscard]] std::string shortened(std::string_view text, size_t most);

// A place on an axis and what stands there.
struct tick {
  double at;
  std::string text;
};

// Steps of 1, 2, 2.5 or 5 times a power of ten from 0 to `most`, about `wanted` of them. `scale` is 1 for plain
// numbers, 100 for percents.
[[nodiscard]] std::vector<tick> number_ticks(double most, int wanted, double scale = 1);

// Seconds: the unit that suits `most`, which all ticks share.
struct time_unit {
  std::string_view name;  // "days"
  double seconds;
};
[[nodiscard]] time_unit unit_of(double most_seconds);
[[nodiscard]] std::vector<tick> time_ticks(double most_seconds, int wanted);

// "3 Oct 2017, 07:01", UTC.
[[nodiscard]] std::string date_text(int64_t ms);
// Seconds from `begins_ms` on at which hours, days, months or years begin, at most about `wanted` of them.
[[nodiscard]] std::vector<tick> date_ticks(int64_t begins_ms, double most_seconds, int wanted);

}  // namespace tenon::cli
