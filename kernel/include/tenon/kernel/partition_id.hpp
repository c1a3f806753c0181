// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Handles of partitions.
#pragma once

#include <cstdint>

namespace tenon {

// Which partition of one kernel. Given when the partition is made, and to no other one later, not even to one of the
// same name. Commands and the journal have names instead: they outlive a kernel. kernel::find_partition() gives the
// handle of a name.
enum class partition_id : uint32_t {
  none = 0,  // of no partition: there is none of that name
};

}  // namespace tenon
