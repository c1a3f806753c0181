// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Sums of a snapshot that must agree, as the field checks them.
#pragma once

#include <vector>

#include "tenon/kernel/snapshot.hpp"
#include "tenon/observe/health_check.hpp"

namespace tenon::observe {

// The snapshot has nodes, queues, applications, asks and allocations. Of an empty one all is well.
[[nodiscard]] std::vector<health_check> look_at_sums_of(const kernel_snapshot &state);

}  // namespace tenon::observe
