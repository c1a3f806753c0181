// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What may be copied of a running scheduler.
#pragma once

#include <cstdint>

namespace tenon::observe {

// Asks, allocations, applications and nodes, of a partition or of all that a question is about. The thread that decides
// does nothing else while they are copied.
inline constexpr uint64_t most_copied = 1'000'000;

}  // namespace tenon::observe
