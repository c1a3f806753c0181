// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a frozen state has.
#pragma once

#include "snapshots/frozen_blocks.hpp"
#include "tenon/kernel/frozen_state.hpp"

namespace tenon {

struct frozen_state::impl {
  int64_t now_ms = 0;
  uint64_t commands = 0;
  std::vector<internal::frozen_partition> partitions;
};

}  // namespace tenon
