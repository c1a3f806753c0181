// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// GpuPacking (after MLaaS in the wild, NSDI 2022): GPUs in use first, then idle ones on nodes in use, then idle nodes.
#pragma once

#include "question.hpp"

namespace packing {

struct gpu_packing : reader {
  static constexpr std::string_view name = "packing-gpus";

  uint64_t key(const auto &node) const {
    question q = read(node);
    if (q.wanted_gpu == 0) return best_first(0);
    const int64_t idle = q.free.idle();
    if (idle == std::ssize(q.free.free())) return best_first(static_cast<double>(std::max(33 - idle, idle)));
    const auto taken = q.free.take(q.count(), q.each());
    if (!taken) return best_first(0);
    if (taken->idle() > 0) return best_first(static_cast<double>(std::max<int64_t>(50 - taken->idle(), 33)));
    int64_t left = 0;
    for (const int64_t free : taken->free()) left += free * 100 / whole;
    return best_first(static_cast<double>(std::max<int64_t>(100 - left / 10, 50)));
  }
  uint64_t score(const auto &node) const { return key(node); }
};

}  // namespace packing
