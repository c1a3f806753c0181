// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Replaces operator new of the whole process, in order to see what code under test allocates.
#pragma once

#include <atomic>
#include <cstddef>

namespace tenon {

// Bytes of the largest single allocation since it was last set to 0.
extern std::atomic<size_t> largest_allocation;
// Allocations since it was last set to 0.
extern std::atomic<size_t> allocation_count;

}  // namespace tenon
