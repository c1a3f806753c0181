// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// DotProd (Grandl et al., "Multi-resource packing for cluster schedulers", SIGCOMM 2014): the smallest product of what
// is free and what is asked.
#pragma once

#include "question.hpp"

namespace packing {

struct dot_product : reader {
  static constexpr std::string_view name = "packing-dot-product";

  uint64_t key(const auto &node) const {
    const question q = read(node);
    const auto part = [](int64_t free, int64_t wanted, double most) {
      return static_cast<double>(free) / most * (static_cast<double>(wanted) / most);
    };
    const double product = part(q.vcore, q.wanted_vcore, most_vcore) + part(q.free.sum(), q.wanted_gpu, most_gpu);
    return best_first(100 * (1 - product / 2));
  }
  uint64_t score(const auto &node) const { return key(node); }
};

}  // namespace packing
