// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Snapshots side by side.
#pragma once

#include <string>
#include <vector>

#include "oracle/features.hpp"
#include "tenon/kernel/snapshot.hpp"

namespace tenon::sim {

// A snapshot as lines, each "place: value" and true by itself, so that two are compared line by line. Leaves
// out what docs/decisions.md does not compare, and what belongs to features that are not.
[[nodiscard]] std::vector<std::string> lines_of(const kernel_snapshot &s, const naive::features &compared);

}  // namespace tenon::sim
