// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Resource quantities as queues.yaml writes them (behaviour: suffixes k..E, Ki..Ei, m for vcore only).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tenon/kernel/refusal.hpp"

namespace tenon {

// Parses one quantity of resource `type`. `vcore` becomes milli-cores ("10" is 10000, "500m" is 500),
// every other type is taken as it is ("1Gi" is 1073741824). Decimals, signs and values beyond int64
// are refused; the refusal's `where` is empty and is the caller's to fill.
[[nodiscard]] result<int64_t> parse_quantity(std::string_view type, std::string_view text);

// True if amounts of the type are bytes: memory, ephemeral-storage and hugepages-*.
[[nodiscard]] bool counts_bytes(std::string_view type);

// Writes a quantity in the unit that operators use, exactly, as queues.yaml takes it: whole cores as "4" and others as
// "1500m", bytes in the largest binary unit as "8Gi", other types as plain integers.
[[nodiscard]] std::string format_quantity(std::string_view type, int64_t amount);

}  // namespace tenon
