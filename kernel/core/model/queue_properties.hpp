// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Queue properties: what queues inherit, and what the kernel reads from them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "model/queue.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::internal {

using property_map = std::map<std::string, std::string>;
// The value, or "".
[[nodiscard]] std::string property_of(const property_map &properties, const std::string &key);
// Of a managed queue: its own and what it inherits.
[[nodiscard]] property_map effective_properties(const property_map &parent, const property_map &own);
[[nodiscard]] bool is_leaf(const queue_config &c, bool root);
// How long an ask waits for headroom until it keeps back those behind it in the leaf; none: never.
[[nodiscard]] inline std::optional<int64_t> keeps_order_after_ms(const queue &leaf, const partition_tuning &tuning) {
  if (leaf.strict) return 0;
  if (tuning.reservation_queue_delay_ms <= 0) return std::nullopt;
  return tuning.reservation_queue_delay_ms;
}
// Priorities and preemption, from the properties in force.
void read_properties(queue &q);

}  // namespace tenon::internal
