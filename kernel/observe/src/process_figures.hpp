// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the process takes of its machine, under the names that every Prometheus client has for it.
#pragma once

#include <vector>

#include "tenon/observe/kernel_access.hpp"

namespace tenon::observe {

[[nodiscard]] std::vector<figure> process_figures();

}  // namespace tenon::observe
