// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A kernel's snapshot as the flat structs of host_views.h.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "flat.hpp"
#include "tenon/kernel/snapshot.hpp"
#include "tenon/observe/kernel_access.hpp"

namespace tenon::observe {

// Never changes once it is made. The view points into the snapshot, the RMs and the room.
struct kernel_view {
  kernel_snapshot state;
  std::vector<rm_record> rms;
  std::vector<policy_group_record> policy_groups;
  flat_memory memory;
  tenon_view view{};

  kernel_view() = default;
  kernel_view(const kernel_view &) = delete;
  kernel_view &operator=(const kernel_view &) = delete;
};

[[nodiscard]] std::shared_ptr<const kernel_view> make_view(kernel_snapshot state, std::vector<rm_record> rms,
                                                           std::vector<policy_group_record> policy_groups,
                                                           uint32_t wanted, uint64_t moment, int64_t started_ms);

// What the kernel is asked for, for TENON_READ_* and services::read_contents.
[[nodiscard]] snapshot_part wish_of(uint32_t wanted);

}  // namespace tenon::observe
