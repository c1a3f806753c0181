// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// BestFit (after Protean, OSDI 2020): the least left, cores and GPUs weighted alike.
#pragma once

#include "question.hpp"

namespace packing {

struct best_fit : reader {
  static constexpr std::string_view name = "packing-best-fit";

  uint64_t key(const auto &node) const {
    const question q = read(node);
    const double left = 0.5 * static_cast<double>(q.vcore - q.wanted_vcore) / most_vcore +
                        0.5 * static_cast<double>(q.free.sum() - q.wanted_gpu) / most_gpu;
    return best_first((1 - left) * 100);
  }
  uint64_t score(const auto &node) const { return key(node); }
};

}  // namespace packing
