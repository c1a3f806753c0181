// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Node order's search, inlined into the cycle.
#pragma once

#include <boost/container/small_vector.hpp>

#include "model/ask_class.hpp"
#include "policies/node_order.hpp"

namespace tenon::internal {

template <class Accept>
uint32_t node_order::first_fit(const ask_class &need, uint64_t &examined, Accept &&accept) {
  const bool by_device = table_.devices().concerns(need);
  uint32_t found = no_slot;
  bool any_fits = false;
  const auto is_found = [&](const block &b, size_t row) {
    const uint32_t slot = b.slots[row];
    ++examined;
    if (!need.fits(table_.free(slot)) || !table_.open(slot)) return false;
    if (by_device && !table_.devices().fits(need, slot)) return false;
    any_fits = true;
    if (accept(slot)) found = slot;
    return found != no_slot;
  };
  // Mostly the first of all, where the least used one is: not worth a comparison of many.
  const block &first = *blocks_.front();
  if (first.size() != 0 && is_found(first, first.begin)) return found;
  const auto in_block = [&](size_t at) {
    const block &b = *blocks_[at];
    if (by_device && !may_have_devices(b, need)) return false;
    if (at != 0) any_fits = false;
    coarse_search nodes;
    for (const class_amount &p : need.positive) nodes.want(b.free[p.type].data(), p.coarse);
    const size_t from = at == 0 ? b.begin + 1 : b.begin;
    if (nodes.find(from, b.end, [&](size_t row) { return is_found(b, row); })) return true;
    if (!any_fits) tighten(at);
    return false;
  };
  coarse_search blocks;
  for (const class_amount &p : need.positive) blocks.want(bounds_[p.type].data(), p.coarse);
  blocks.find(0, blocks_.size(), in_block);
  return found;
}

// No node of a block lacks less than the block's bound would.
template <class Accept>
uint32_t node_order::least_lacking(const ask_class &need, uint64_t &examined, Accept &&accept) {
  uint32_t best = no_slot;
  double least = 0;
  boost::container::small_vector<int64_t, 8> bound(types_);
  for (size_t at = 0; at < blocks_.size(); ++at) {
    for (type_index t = 0; t < types_; ++t) bound[t] = most_of(bounds_[t][at]);
    if (best != no_slot && need.lacks(bound.data()) >= least) continue;
    const block &b = *blocks_[at];
    const uint32_t before = best;
    for (size_t row = b.begin; row < b.end; ++row) {
      const uint32_t slot = b.slots[row];
      ++examined;
      if (!table_.open(slot)) continue;
      const double lacks = need.lacks(table_.free(slot));
      if ((best != no_slot && lacks >= least) || !accept(slot)) continue;
      best = slot;
      least = lacks;
    }
    if (best == before) tighten(at);
  }
  return best;
}

}  // namespace tenon::internal
