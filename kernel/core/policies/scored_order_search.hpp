// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Scored order's searches, inlined into the cycle.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <span>

#include "policies/scored_order.hpp"

namespace tenon::internal {

template <class Accept>
bool scored_order::takes(uint32_t slot, uint64_t &examined, Accept &accept) {
  ++examined;
  if (table_.open(slot)) return accept(slot);
  states_.touch(slot);
  return false;
}

// Of states with the same score, those whose first node was refused go on with their next ones, beside the first nodes
// of the others, by id.
template <class Accept>
uint32_t scored_order::first_fit(uint64_t &examined, Accept &&accept) {
  struct rest {
    std::span<const uint32_t> slots;
    uint32_t key;
  };
  boost::container::small_vector<rest, 8> refused;  // a heap
  const auto number_of = [this](const rest &one) { return table_.order_number(one.slots.front()); };
  const auto later = [&](const rest &a, const rest &b) { return number_of(a) > number_of(b); };
  walk w;
  uint32_t found = no_slot;
  const auto try_first = [&](const rest &one) {
    const uint32_t slot = one.slots.front();
    if (takes(slot, examined, accept)) {
      found = slot;
      found_ = one.key;
    } else if (one.slots.size() > 1) {
      refused.push_back({one.slots.subspan(1), one.key});
      std::push_heap(refused.begin(), refused.end(), later);
    }
  };
  while (found == no_slot) {
    const entry *e = next(w);
    const bool goes_on = !refused.empty() && (e == nullptr || compare(*e, sorted_[w.kept - 1]) != 0 ||
                                              number_of(refused.front()) < e->number);
    if (goes_on) {
      std::pop_heap(refused.begin(), refused.end(), later);
      const rest one = refused.back();
      refused.pop_back();
      try_first(one);
    } else if (e != nullptr) {
      const rest all{states_.nodes_in(e->state), e->key};
      keep(w);
      try_first(all);
    } else {
      break;
    }
  }
  end(w);
  return found;
}

template <class Accept>
uint32_t scored_order::least_lacking(uint64_t &examined, Accept &&accept) {
  walk w;
  uint32_t best = no_slot;
  entry of_best{};
  double least = 0;
  while (const entry *at = next(w)) {
    const entry e = *at;
    keep(w);
    const double lacks = need_.lacks(states_.free(e.state));
    const bool same_score = best != no_slot && compare(e, of_best) == 0;
    if (best != no_slot && (lacks > least || (lacks == least && !same_score))) continue;
    for (const uint32_t slot : states_.nodes_in(e.state)) {
      if (same_score && lacks == least && table_.order_number(slot) > table_.order_number(best)) break;
      if (!takes(slot, examined, accept)) continue;
      best = slot;
      of_best = e;
      least = lacks;
      break;
    }
  }
  end(w);
  return best;
}

template <class Changed>
void scored_order::forget_if(Changed &&changed) {
  if (version_ != states_.version()) return;
  for (uint32_t state = 0; state < held_.size(); ++state) {
    if (states_.empty(state) || changed(states_.slot_in(state))) held_[state].stamp = 0;
  }
  look_at_all_ = true;
}

}  // namespace tenon::internal
