// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Replaces what a module imports, in that module alone: clocks that run away, memory that is used up.
#pragma once

#include <cstddef>
#include <cstdint>

#include "subject.hpp"

namespace tenon::conformance {

// Clocks, lots, process ids and variables as the module sees them now come from set_clocks. How many it imports.
size_t replace_clocks(const opened_module &module);
void set_clocks(int64_t later_s);

// operator new as the module imports it: fails from the `fail_from`-th call on (0: never). How many it imports.
size_t replace_new(const opened_module &module);
void fail_new_from(uint64_t fail_from);
[[nodiscard]] uint64_t new_calls();

}  // namespace tenon::conformance
