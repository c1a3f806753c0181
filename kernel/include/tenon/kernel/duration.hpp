// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Durations as Go writes them ("1h30m", "500ms", "0"), because queues.yaml and its properties do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tenon/kernel/refusal.hpp"

namespace tenon {

// Parses a sequence of decimal numbers, each with an optional fraction and a unit out of ns, us (µs), ms, s,
// m, h, with an optional sign before all of it. "0" needs no unit. Values beyond int64 nanoseconds (292
// years) are refused; the refusal's `where` is empty and is the caller's to fill.
[[nodiscard]] result<int64_t> parse_duration_ns(std::string_view text);

// As parse_duration_ns, in milliseconds rounded towards zero. Refused where that makes 0 of something.
[[nodiscard]] result<int64_t> parse_duration_ms(std::string_view text);

// The shortest text that parses to the same duration: "1h0m0s", "1.5s", "250ms", "0s".
[[nodiscard]] std::string format_duration_ns(int64_t ns);
[[nodiscard]] std::string format_duration_ms(int64_t ms);

}  // namespace tenon
