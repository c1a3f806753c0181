// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Amounts of resources in the units that people use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tenon/kernel/refusal.hpp"

namespace tenon::config {

// Reads an amount as parse_quantity does. The remedy of a refusal also knows how other programs write amounts: 10GB,
// 50%.
[[nodiscard]] result<int64_t> read_quantity(std::string_view type, std::string_view text);

// As short as `digits` after the point allow: "12", "0.25".
[[nodiscard]] std::string decimal(double value, int digits);

// An amount of a resource type: cores, binary multiples of bytes, or as it is.
[[nodiscard]] std::string amount_text(std::string_view type, int64_t amount);

}  // namespace tenon::config
