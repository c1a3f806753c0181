// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Node order's search, inlined into the cycle.
#pragma once

#include "model/ask_class.hpp"
#include "policies/node_order.hpp"

namespace tenon::internal {

template <class Accept>
uint32_t node_order::first_fit(const ask_class &need, uint64_t &examined, Accept &&accept) {
  const bool by_device = table_.devices().concerns(need);
  for (const auto &b : blocks_) {
    if (!need.fits(b->bound.data()) || (by_device && !may_have_devices(*b, need))) continue;
    bool any_fits = false;
    for (const uint32_t slot : b->slots) {
      ++examined;
      if (!need.fits(table_.free(slot)) || !table_.open(slot)) continue;
      if (by_device && !table_.devices().fits(need, slot)) continue;
      any_fits = true;
      if (accept(slot)) return slot;
    }
    if (!any_fits) tighten_if_loose(*b);
  }
  return no_slot;
}

// No node of a block lacks less than the block's bound would.
template <class Accept>
uint32_t node_order::least_lacking(const ask_class &need, uint64_t &examined, Accept &&accept) {
  uint32_t best = no_slot;
  double least = 0;
  for (const auto &b : blocks_) {
    if (b->bound.front() == INT64_MIN || (best != no_slot && need.lacks(b->bound.data()) >= least)) continue;
    const uint32_t before = best;
    for (const uint32_t slot : b->slots) {
      ++examined;
      if (!table_.open(slot)) continue;
      const double lacks = need.lacks(table_.free(slot));
      if ((best != no_slot && lacks >= least) || !accept(slot)) continue;
      best = slot;
      least = lacks;
    }
    if (best == before) tighten_if_loose(*b);
  }
  return best;
}

}  // namespace tenon::internal
