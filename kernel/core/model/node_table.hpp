// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Node table: the nodes of a partition as columns, one slot a node, for policies and for the search.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/wide_sum.hpp"
#include "model/device_table.hpp"
#include "model/objects.hpp"
#include "tenon/abi/columns.h"

namespace tenon::internal {

// Amounts are item-major: amount(slot, type) = base[slot * stride + type]. The stride is the number of
// interned types rounded up, so that a node's amounts share a cache line.
class node_table {
 public:
  static constexpr uint32_t fewest_types = 4;  // the stride; it doubles

  node &add(std::string_view id);
  void remove(node &n);
  [[nodiscard]] node *find(std::string_view id) const;
  [[nodiscard]] uint32_t slots() const { return static_cast<uint32_t>(by_slot_.size()); }
  [[nodiscard]] node *at(uint32_t slot) const { return by_slot_[slot].get(); }  // null: slot is free
  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(by_id_.size()); }

  [[nodiscard]] const int64_t *free(uint32_t slot) const { return free_.data() + size_t{slot} * stride_; }
  [[nodiscard]] const int64_t *total(uint32_t slot) const { return total_.data() + size_t{slot} * stride_; }
  [[nodiscard]] const uint64_t *present() const { return present_.data(); }
  [[nodiscard]] uint32_t stride() const { return stride_; }
  // The sum of what usable nodes have free. A node that has less than runs there counts as 0.
  [[nodiscard]] int64_t free_together(type_index type) const {
    return type < stride_ ? static_cast<int64_t>(std::min<wide_sum>(free_together_[type], INT64_MAX)) : 0;
  }
  [[nodiscard]] bool usable(uint32_t slot) const { return usable_[slot] != 0; }  // exists and schedulable
  // Usable, and not closed: searches see open nodes only. A slot is no longer closed when its node is removed.
  [[nodiscard]] bool open(uint32_t slot) const { return usable_[slot] != 0 && closed_[slot] == 0; }
  void close(uint32_t slot, bool closed) {
    if (closed && closed_[slot] == 0) ++closings_;
    closed_[slot] = closed ? 1 : 0;
  }
  [[nodiscard]] uint64_t closings() const { return closings_; }  // so far
  [[nodiscard]] const int64_t *usable_column() const { return usable_.data(); }
  // Ids by slot; kept from the first call on.
  [[nodiscard]] const tenon_text *id_column();

  // The value of one attribute by slot, and all attributes by slot. The former is kept from the first call on.
  [[nodiscard]] const tenon_text *attribute_column(const std::string &key);
  [[nodiscard]] const tenon_text_map *attributes_column() const { return attributes_.data(); }

  // Nodes by the value of one attribute. Kept from the first call on; a group keeps its number.
  struct grouping {
    std::map<std::string, uint32_t, std::less<>> numbers;  // from 1; 0: nodes without the attribute
    std::vector<uint32_t> of;                              // by slot

    [[nodiscard]] size_t count() const { return numbers.size() + 1; }
  };
  [[nodiscard]] const grouping &groups_by(const std::string &key);

  [[nodiscard]] device_table &devices() { return devices_; }
  [[nodiscard]] const device_table &devices() const { return devices_; }
  // The node has room for an ask of the class, schedulable or not.
  [[nodiscard]] bool holds(const ask_class &c, uint32_t slot) const {
    return c.fits(free(slot)) && (!devices_.concerns(c) || devices_.fits(c, slot));
  }

  // Orders nodes by id; ties of every node order go by it. A number stays while other nodes come and go, but for the
  // rare time when all nodes are numbered anew. The number of a node that was removed stays until its slot is
  // another's.
  [[nodiscard]] uint64_t order_number(uint32_t slot) const { return order_numbers_[slot]; }
  // Changes when nodes are numbered anew.
  [[nodiscard]] uint64_t numbering() const { return numbering_; }

  // Position of the node among all by id, which changes when others come and go.
  [[nodiscard]] uint32_t rank(uint32_t slot) const {
    if (ranks_stale_) rank_all();
    return rank_[slot];
  }
  // Slots in the order of their ranks.
  [[nodiscard]] const std::vector<uint32_t> &by_rank() const {
    if (ranks_stale_) rank_all();
    return by_rank_;
  }
  // The slots of so many ranks stand together in a block: what is known of all of them together needs no look at each.
  static constexpr uint32_t ranks_a_block = 32;
  [[nodiscard]] uint32_t blocks() const { return (count() + ranks_a_block - 1) / ranks_a_block; }
  [[nodiscard]] std::span<const uint32_t> block(uint32_t b) const {
    return std::span(by_rank())
        .subspan(size_t{b} * ranks_a_block)
        .first(std::min(ranks_a_block, count() - b * ranks_a_block));
  }
  // Above 0. Changes when a node of the block has more free, is usable or is another one, and when it is touched.
  [[nodiscard]] uint64_t block_version(uint32_t b) const { return block_versions_[b]; }
  void touch_block(uint32_t slot) {
    if (!ranks_stale_) block_versions_[rank_[slot] / ranks_a_block] = ++last_block_version_;
  }
  // Nodes by id.
  [[nodiscard]] const std::map<std::string_view, node *> &by_id() const { return by_id_; }

 private:
  friend class ledger;
  // Writes the node's columns of amounts and states from its objects. `types` is the number of interned types.
  void store(const node &n, uint32_t types);
  // Takes `amount` of `type` from what is free on a slot: the cycle's short way beside store().
  void take(uint32_t slot, type_index type, int64_t amount) {
    int64_t &free = free_[size_t{slot} * stride_ + type];
    const int64_t before = std::max<int64_t>(0, free);
    free -= amount;
    if (usable_[slot] != 0) free_together_[type] += std::max<int64_t>(0, free) - before;
  }
  void widen(uint32_t types);
  void rank_all() const;
  using nodes_by_id = std::map<std::string_view, node *>;
  void number(nodes_by_id::const_iterator newest);
  void number_all();
  void store_attributes(const node &n);

  std::vector<std::unique_ptr<node>> by_slot_;
  std::vector<std::unique_ptr<node>> gone_;  // kept until flush(): decisions may name them
  std::vector<uint32_t> free_slots_;
  nodes_by_id by_id_;
  std::vector<uint64_t> order_numbers_;  // by slot
  uint64_t numbering_ = 0;
  uint32_t newest_ = ~uint32_t{0};  // slot of the node that came last
  std::vector<int64_t> free_, total_, usable_;
  std::vector<wide_sum> free_together_ = std::vector<wide_sum>(fewest_types);  // by type
  std::vector<uint8_t> closed_;
  std::vector<uint64_t> present_;
  mutable std::vector<uint32_t> rank_, by_rank_;  // as of the last who asked
  mutable std::vector<uint64_t> block_versions_;  // while ranks are known
  mutable uint64_t last_block_version_ = 0;
  std::vector<tenon_text_map> attributes_;
  std::vector<std::unique_ptr<tenon_text[]>> attribute_texts_;  // by slot: keys, then values
  std::map<std::string, std::vector<tenon_text>> attribute_columns_;
  std::map<std::string, grouping> groupings_;
  device_table devices_;
  uint64_t closings_ = 0;
  uint32_t stride_ = fewest_types;
  mutable bool ranks_stale_ = true;
  bool keeps_ids_ = false;
  std::vector<tenon_text> ids_;  // by slot, once they are kept

 public:
  void flush() { gone_.clear(); }
};

}  // namespace tenon::internal
