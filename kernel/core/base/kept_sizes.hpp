// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What each object counts for in kept_amounts::bytes, with what the allocator adds and tables that name it. Rather too
// much than too little: docs/performance.md has what was measured.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "tenon/kernel/commands.hpp"

namespace tenon::internal {

inline constexpr uint64_t ask_size = 448, allocation_size = 256, application_size = 2'048, node_size = 1'024,
                          task_group_size = 512, queue_size = 3'072, ask_class_size = 1'024, usage_size = 512,
                          text_size = 48, refusal_size = 96, verdict_size = 3;  // verdict: of a node

inline uint64_t size_of(std::string_view text) { return text_size + text.size(); }

// Of tags and attributes, as commands and objects have them.
template <class Pairs>
uint64_t size_of_pairs(const Pairs &pairs) {
  uint64_t out = 0;
  for (const auto &[key, value] : pairs) out += 2 * text_size + key.size() + value.size();
  return out;
}

// How many allocations an ask counts for.
inline uint64_t wanted_allocations(int32_t max_allocations) {
  return static_cast<uint64_t>(std::max<int32_t>(1, max_allocations));
}

}  // namespace tenon::internal
