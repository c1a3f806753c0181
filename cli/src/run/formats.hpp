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
// "3 Oct 2017, 07:01", UTC.
[[nodiscard]] std::string date_text(int64_t ms);

}  // namespace tenon::cli
