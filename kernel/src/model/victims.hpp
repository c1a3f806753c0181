// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Victims: in which order allocations give way.
#pragma once

#include "model/objects.hpp"

namespace tenon::internal {

// The one that gives way first is before the other.
[[nodiscard]] bool gives_way_before(const allocation &a, const allocation &b);

}  // namespace tenon::internal
