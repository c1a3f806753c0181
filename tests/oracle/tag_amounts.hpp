// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Values in application tags.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tenon/kernel/queue_config.hpp"

namespace tenon::naive {

// {"resources":{"memory":{"value":10}}}; nothing unless some amount is above 0 and none below.
[[nodiscard]] std::optional<amount_map> tag_amounts(const std::string &json);
// A decimal number above 0.
[[nodiscard]] std::optional<uint64_t> tag_count(const std::string &text);

}  // namespace tenon::naive
