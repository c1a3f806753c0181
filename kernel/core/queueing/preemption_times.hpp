// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Preemption times: from when on an ask may take room from others (docs/decisions-preemption.md, section 4).
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/ask_class.hpp"
#include "model/gang_reservations.hpp"
#include "model/objects.hpp"
#include "model/victims.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::internal {

struct preemption_times_access {
  const partition_config &config;
  const class_table &classes;
};

class preemption_times : preemption_times_access {
 public:
  explicit preemption_times(const preemption_times_access &all) : preemption_times_access(all) {}

  // In milliseconds of the kernel's clock; INT64_MAX: never.
  [[nodiscard]] int64_t of(const ask &a) const {
    const queue &leaf = *a.owner->home;
    if (!a.preempt_other || !config.preemption_enabled || classes[a.class_id].requires_a_node()) return INT64_MAX;
    if (reservation_of(a) != nullptr && !a.wait->victims->empty()) return INT64_MAX;
    if (a.placeholder && is_freed_for_gang(*a.owner)) return INT64_MAX;
    if (!leaf.intra && !has_guarantee(leaf, classes[a.class_id])) return INT64_MAX;
    const int64_t from_ms = add_saturating(a.create_time_ms, leaf.preemption_delay_ms);
    return a.wait == nullptr ? from_ms : std::max(from_ms, a.wait->preempt_from_ms);
  }
};

}  // namespace tenon::internal
