// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Node order's search, inlined into the cycle.
#pragma once

#include "ask_class.hpp"
#include "node_order.hpp"

namespace tenon::internal {

template <class Accept>
uint32_t node_order::first_fit(const ask_class &need, uint64_t &examined, Accept &&accept) {
  for (const auto &b : blocks_) {
    if (!need.fits(b->bound.data())) continue;
    bool any_fits = false;
    for (const uint32_t slot : b->slots) {
      ++examined;
      if (!need.fits(table_.free(slot))) continue;
      any_fits = true;
      if (table_.usable(slot) && accept(slot)) return slot;
    }
    if (!any_fits) tighten(*b);
  }
  return no_slot;
}

}  // namespace tenon::internal
