// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Copies of a partition, to see what would happen.
#pragma once

#include <cstdint>
#include <memory>

#include "forward.hpp"

namespace tenon::internal {

// A partition that decides as the other would. Time must stand still in it: its timers are not those of the other one,
// nor is what only they, readers and statistics look at. It calls the same instances of policies, so neither may be
// used while the other is in a call; and it does not place applications.
[[nodiscard]] std::unique_ptr<partition> copy_of(const partition &from, core &in, uint32_t number);

}  // namespace tenon::internal
