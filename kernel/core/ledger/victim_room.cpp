// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ledger/victim_room.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace tenon::internal {

void victim_room::enter(const allocation &x) {
  const node &n = *x.where;
  if (counted_.size() != nodes.slots() || stride_ != nodes.stride()) cover();
  if (!counted_[n.slot]) {
    if (!n.allocations.empty()) return;
    count(n);
  }
  if (may_give_way(x)) add(x);
}

void victim_room::add(const allocation &x) {
  for (const class_amount &p : classes[x.class_id].positive) {
    const size_t at = size_t{x.where->slot} * stride_ + p.type;
    sum_[at] = add_saturating(sum_[at], p.amount);
    largest_[at] = std::max(largest_[at], p.amount);
  }
  victim_rank &lowest = lowest_[x.where->slot];
  lowest = std::min(lowest, lowest_victim_level(x));
  nodes.touch_block(x.where->slot);
}

void victim_room::move(const allocation &x, allocation_event by) {
  switch (by) {
    case allocation_event::confirm:
      return enter(x);
    case allocation_event::preempt:
    case allocation_event::timeout:
    case allocation_event::replace:  // it was Allocated
      if (would_give_way(x)) leave(x);
      return;
    default:
      return changed(*x.where);
  }
}

void victim_room::leave(const allocation &x) {
  const node &n = *x.where;
  if (n.slot >= counted_.size() || !counted_[n.slot]) return;
  for (const class_amount &p : classes[x.class_id].positive) {
    const size_t at = size_t{n.slot} * stride_ + p.type;
    if (sum_[at] == INT64_MAX) return changed(n);
    sum_[at] -= p.amount;
  }
}

void victim_room::start_search() {
  kept_ = true;
  (void)nodes.by_rank();  // blocks are by rank
  if (counted_.size() != nodes.slots() || stride_ != nodes.stride()) cover();
  if (blocks_.size() == nodes.blocks() && block_amounts_.size() == blocks_.size() * 3 * stride_) return;
  blocks_.assign(nodes.blocks(), {});
  block_amounts_.assign(blocks_.size() * 3 * stride_, 0);
}

// A node's sum is kept as what the node has free with it beyond the most that one has free.
void victim_room::look_at_block(uint32_t b) {
  int64_t *free = block_amounts_.data() + size_t{b} * 3 * stride_;
  int64_t *sum = free + stride_, *largest = sum + stride_;
  std::array<victim_summary, node_table::ranks_a_block> all;
  size_t count = 0;
  victim_rank lowest = INT64_MAX;
  for (const uint32_t slot : nodes.block(b)) {
    if (!nodes.usable(slot)) continue;
    all[count] = of(slot);
    lowest = std::min(lowest, all[count++].lowest);
  }
  for (uint32_t t = 0; t < stride_; ++t) {
    int64_t most_free = INT64_MIN, most = INT64_MIN, of_one = 0;
    for (const victim_summary &there : std::span(all).first(count)) {
      most_free = std::max(most_free, there.free[t]);
      most = std::max(most, add_saturating(there.free[t], there.sum[t]));
      of_one = std::max(of_one, there.largest[t]);
    }
    free[t] = most_free;
    sum[t] = sub_saturating(most, most_free);
    largest[t] = of_one;
  }
  blocks_[b] = {nodes.block_version(b), lowest};
}

const victim_room::allocation_set &victim_room::ending() {
  if (std::exchange(follows_, true)) return ending_;
  for (uint32_t slot = 0; slot < nodes.slots(); ++slot) {
    const node *n = nodes.at(slot);
    if (n == nullptr) continue;
    for (const allocation *x : n->allocations) {
      if (is_ending(*x)) ending_.insert(x);
    }
  }
  return ending_;
}

void victim_room::cover() {
  if (const uint32_t before = std::exchange(stride_, nodes.stride()); before != stride_) {
    for (std::vector<int64_t> *amounts : {&sum_, &largest_}) {
      std::vector<int64_t> moved(counted_.size() * stride_);
      for (size_t slot = 0; slot < counted_.size(); ++slot) {
        std::copy_n(amounts->data() + slot * before, before, moved.data() + slot * stride_);
      }
      amounts->swap(moved);
    }
  }
  counted_.resize(nodes.slots());
  sum_.resize(counted_.size() * stride_);
  largest_.resize(sum_.size());
  lowest_.resize(counted_.size());
}

void victim_room::count(const node &n) {
  counted_[n.slot] = true;
  const auto from = static_cast<ptrdiff_t>(size_t{n.slot} * stride_);
  std::fill_n(sum_.begin() + from, stride_, 0);
  std::fill_n(largest_.begin() + from, stride_, 0);
  lowest_[n.slot] = INT64_MAX;
  for (const allocation *x : n.allocations) {
    if (may_give_way(*x)) add(*x);
  }
}

}  // namespace tenon::internal
