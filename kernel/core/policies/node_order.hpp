// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Node order: the nodes of a partition sorted by a node-sort policy, in blocks that a search can skip.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/coarse_search.hpp"
#include "model/node_table.hpp"
#include "policies/policy_batch.hpp"

namespace tenon::internal {

// Nodes by (key, id). What each has free stands beside that, coarse, so that a search compares many at once and looks
// at those that may do. Of a block the most that its open nodes have free is known, by type: a block where that is
// below an ask holds no open node that fits it. It is found anew when a search found it too high.
class node_order {
 public:
  node_order(node_table &table, sort_policy &policy) : table_(table), policy_(policy) {}

  // The node's columns changed, or it was added or removed. Its key is computed anew before the next search.
  void touch(uint32_t slot);
  // The node is open to searches again.
  void opened(uint32_t slot);
  // The slot is nobody's, and may be another node's next.
  void removed(uint32_t slot);

  // Every key is computed anew before the next search.
  void touch_all() { rebuild_ = true; }

  // Brings the order up to date: one batch call of the policy. False: the policy failed. Every search comes after it.
  bool refresh(const call_context &context);

  // The first open node in order that holds `need` and for which `accept(slot)` is true; or
  // no_slot. Counts the nodes that it looked at.
  template <class Accept>
  uint32_t first_fit(const ask_class &need, uint64_t &examined, Accept &&accept);

  // Of the open nodes for which `accept(slot)` is true, the one that lacks least of `need`; of those that lack equally
  // little, the first in order. no_slot: there is none.
  template <class Accept>
  uint32_t least_lacking(const ask_class &need, uint64_t &examined, Accept &&accept);

  static constexpr uint32_t no_slot = ~uint32_t{0};

 private:
  static constexpr size_t block_capacity = 128, few_rows = block_capacity / 2;
  // Of the slots with devices of this size, 0: that do not divide the type.
  struct device_bound {
    type_index type;
    int64_t size;
    std::vector<int64_t> ranked;  // no open slot's n-th device, most free first, has more free; size 0: the sum
  };
  using coarse_column = std::array<coarse_amount, block_capacity>;
  // Its nodes are rows [begin, end) of columns, in order.
  struct block {
    std::array<uint64_t, block_capacity> keys = {};  // first words
    std::array<uint32_t, block_capacity> slots = {};
    std::vector<coarse_column> free;    // by type; nothing of slots that were not open when they were stored
    std::vector<device_bound> devices;  // of the types that some node divides
    std::vector<uint64_t> fence;        // no key in it is less; further words, where there are any
    size_t begin = 0, end = 0;
    bool loose = true;      // since tighten() some slot has less free, or left
    uint64_t closings = 0;  // of the table, by then

    [[nodiscard]] size_t size() const { return end - begin; }
    size_t make_row(size_t at);  // before that one; where it is now
    void drop_row(size_t at);
    void take_rows(const block &next);  // after its own

   private:
    void move_rows(size_t from, size_t to, size_t count);
  };
  // Where a block begins: nothing in it is less, and all in the one before it is.
  struct fence {
    uint64_t key;  // its first word
    uint64_t number;
  };
  struct place {
    size_t block;
    size_t row;
  };

  [[nodiscard]] const uint64_t *key_of(uint32_t slot) const { return keys_.data() + size_t{slot} * words_; }
  // <0, 0 or >0 by the words after the first.
  [[nodiscard]] int compare_rest(const uint64_t *a, const uint64_t *b) const;
  [[nodiscard]] bool before(uint32_t a, uint32_t b) const;
  [[nodiscard]] place place_of(uint32_t slot) const;        // by its key
  [[nodiscard]] place place_of_filed(uint32_t slot) const;  // of one that is in the order
  [[nodiscard]] place place_for(uint32_t slot) const;       // of one that is not yet
  // Whether blocks are as they are to be, and one has the slot.
  [[nodiscard]] bool is_in_place(uint32_t slot) const {
    return !rebuild_ && numbering_ == table_.numbering() && slot < is_filed_.size() && is_filed_[slot] != 0;
  }
  void cover();  // as many slots as there are now
  void find_touched();
  void insert(uint32_t slot);
  void erase(uint32_t slot);
  void split(size_t at, size_t from);
  void merge(size_t at);
  size_t add_block(size_t at);
  void drop_block(size_t at);
  void set_fence(size_t at);  // by its first row
  void rebuild();

  void store_free(size_t at, size_t row, uint32_t slot);
  void raise_device_bound(block &b, uint32_t slot) const;
  static void raise_ranks(block &b, type_index type, int64_t size, const int64_t *ranked, size_t count);
  [[nodiscard]] bool may_have_devices(const block &b, const ask_class &need) const;
  void tighten(size_t at);
  void store_all_free(size_t at);

  node_table &table_;
  sort_policy &policy_;
  std::vector<std::unique_ptr<block>> blocks_;
  std::vector<fence> fences_;                       // by block
  std::vector<std::vector<coarse_amount>> bounds_;  // by type and block: none of its open slots has more free
  uint32_t words_ = 0;                              // of a key
  uint32_t types_ = 0;                              // that blocks have columns of
  std::vector<uint64_t> keys_;                      // by slot, words_ each
  std::vector<uint32_t> touched_;
  std::vector<uint8_t> is_touched_;
  bool some_are_gone_ = false;     // of the touched slots
  std::vector<uint8_t> is_filed_;  // in a block, by slot
  key_batch fresh_;                // of `touched_`
  uint64_t numbering_ = ~uint64_t{0};
  bool rebuild_ = true;
};

}  // namespace tenon::internal

#include "policies/node_order_search.hpp"
