// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// GpuClustering (after Gandiva, OSDI 2018): asks that want alike share nodes. Which asks have allocations on a node is
// no column; what its GPUs have free says it in part. A GPU that is used in part has asks for shares, and one that is
// full is taken for one of an ask for whole GPUs, of however many.
#pragma once

#include "question.hpp"

namespace packing {

struct clustering : reader {
  static constexpr std::string_view name = "packing-clustering";

  uint64_t key(const auto &node) const {
    const question q = read(node);
    if (q.wanted_gpu == 0) return best_first(0);
    const auto free = q.free.free();
    const bool shares = std::any_of(free.begin(), free.end(), [](int64_t f) { return f > 0 && f < whole; });
    const bool wholes = std::find(free.begin(), free.end(), 0) != free.end();
    const bool alike = q.wanted_gpu < whole ? shares : wholes;
    const int64_t rank = alike ? (shares && wholes ? 50 : 75) : shares || wholes ? 0 : 25;
    const auto most = static_cast<int64_t>(most_gpu);
    return best_first(static_cast<double>(25 * (most - q.free.sum()) / most + rank));
  }
  uint64_t score(const auto &node) const { return key(node); }
};

}  // namespace packing
