// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Node order: the nodes of a partition sorted by a node-sort policy, in blocks that a search can skip.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/node_table.hpp"
#include "policies/policy_batch.hpp"

namespace tenon::internal {

// Nodes by (key, rank). A block keeps an upper bound of the free amounts of its open nodes, by type: a block
// whose bound is below an ask holds no open node that fits it. Bounds tighten when a search finds them loose.
class node_order {
 public:
  // With `asks`, nodes are ordered by the policy's score for that class instead of its keys.
  node_order(node_table &table, sort_policy &policy, const ask_facts *asks = nullptr)
      : table_(table), policy_(policy), asks_(asks) {}

  // The node's columns changed, or it was added or removed. Its key is computed anew before the next search.
  void touch(uint32_t slot);
  // The node is open to searches again.
  void opened(uint32_t slot);
  // Orders by the policy's score for these asks, which outlive the order.
  void score_for(const ask_facts &asks) { asks_ = &asks; }

  // Every key is computed anew before the next search.
  void touch_all() { rebuild_ = true; }

  // Brings the order up to date: one batch call of the policy. False: the policy failed.
  bool refresh(const call_context &context);

  // The first open node in order that holds `need` and for which `accept(slot)` is true; or
  // no_slot. Counts the nodes that it looked at.
  template <class Accept>
  uint32_t first_fit(const ask_class &need, uint64_t &examined, Accept &&accept);

  // Of the open nodes for which `accept(slot)` is true, the one that lacks least of `need`; of those that lack equally
  // little, the first in order. no_slot: there is none.
  template <class Accept>
  uint32_t least_lacking(const ask_class &need, uint64_t &examined, Accept &&accept);

  // All slots in order; for the oracle-like slow paths.
  [[nodiscard]] std::vector<uint32_t> in_order() const;

  static constexpr uint32_t no_slot = ~uint32_t{0};

 private:
  static constexpr size_t block_capacity = 128;
  // Of the slots with devices of this size, 0: that do not divide the type.
  struct device_bound {
    type_index type;
    int64_t size;
    std::vector<int64_t> ranked;  // no open slot's n-th device, most free first, has more free; size 0: the sum
  };
  struct block {
    std::vector<uint32_t> slots;        // in order
    std::vector<int64_t> bound;         // by type: no open slot has more free
    std::vector<device_bound> devices;  // of the types that some node divides
    bool loose = true;                  // since tighten() some slot has less free, or left
    uint64_t closings = 0;              // of the table, by then
  };

  [[nodiscard]] bool before(uint32_t a, uint32_t b) const;
  bool compute_keys(const call_context &context);
  void insert(uint32_t slot);
  void erase(uint32_t slot);
  void raise_bound(block &b, uint32_t slot) const;
  [[gnu::cold]] void widen(block &b) const;  // there are more types
  void raise_device_bound(block &b, uint32_t slot) const;
  static void raise_ranks(block &b, type_index type, int64_t size, const int64_t *ranked, size_t count);
  [[nodiscard]] bool may_have_devices(const block &b, const ask_class &need) const;
  void tighten(block &b) const;
  void tighten_if_loose(block &b) const {
    if (b.loose || b.closings != table_.closings()) tighten(b);
  }
  void rebuild();

  node_table &table_;
  sort_policy &policy_;
  const ask_facts *asks_;
  std::vector<std::unique_ptr<block>> blocks_;
  std::vector<block *> block_of_;  // by slot; null: not in the order
  std::vector<uint64_t> keys_;     // by slot, key_words each
  std::vector<uint32_t> rank_;     // by slot, as of the last refresh
  std::vector<uint32_t> touched_;
  std::vector<uint8_t> is_touched_;
  key_batch fresh_;  // of `touched_`
  uint64_t rank_version_ = ~uint64_t{0};
  bool rebuild_ = true;
};

}  // namespace tenon::internal

#include "policies/node_order_search.hpp"
