// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Victim room: how much of each node allocations hold that may give way to somebody: all of them together, and how much
// the largest at most. So a search for victims leaves out nodes without a look at what is there, and blocks of nodes
// without a look at these. It is kept from the first guarantee on, or from the first search: a partition in which
// nobody preempts pays nothing for it.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <vector>

#include "model/ask_class.hpp"
#include "model/node_table.hpp"
#include "model/objects.hpp"
#include "model/victims.hpp"

namespace tenon::internal {

struct victim_room_access {
  node_table &nodes;
  const class_table &classes;
};

class victim_room : victim_room_access {
 public:
  explicit victim_room(const victim_room_access &all) : victim_room_access(all) {}

  // Somebody may preempt: nodes are counted while they fill, not by the first search.
  void keep() {
    kept_ = true;
    follows_ = follows_ || nodes.count() == 0;  // nothing ends before there is a node
  }

  // -- What happens on a node. --
  void came(const allocation &x) {  // not among the node's yet
    if (kept_) enter(x);
    if (follows_ && is_ending(x)) ending_.insert(&x);
  }
  void goes(const allocation &x) {  // it is as it was so far
    if (kept_ && may_give_way(x)) leave(x);
    if (follows_) ending_.erase(&x);
  }
  void moved(const allocation &x, allocation_event by) {  // it is in its new state
    if (kept_) move(x, by);
    if (follows_ && is_ending(x)) ending_.insert(&x);
  }
  void changed(const node &n) {  // in some other way
    if (n.slot >= counted_.size()) return;
    counted_[n.slot] = false;
    nodes.touch_block(n.slot);
  }

  // Something that a search for victims looks at is another.
  void outcome_changed() { ++revision_; }
  [[nodiscard]] uint64_t revision() const { return revision_; }  // how often that was so

  // Before the first call of `of` and `of_block` after something changed.
  void start_search();
  // Both are valid until something changes.
  [[nodiscard]] victim_summary of(uint32_t slot) {
    if (!counted_[slot]) count(*nodes.at(slot));
    const size_t at = size_t{slot} * stride_;
    return {nodes.free(slot), sum_.data() + at, largest_.data() + at, lowest_[slot]};
  }
  [[nodiscard]] victim_summary of_block(uint32_t b) {
    if (blocks_[b].version != nodes.block_version(b)) look_at_block(b);
    const int64_t *amounts = block_amounts_.data() + size_t{b} * 3 * stride_;
    return {amounts, amounts + stride_, amounts + 2 * size_t{stride_}, blocks_[b].lowest};
  }

  // All that is Preempting or Expiring, in no order.
  using allocation_set = boost::unordered_flat_set<const allocation *>;
  [[nodiscard]] const allocation_set &ending();

 private:
  void enter(const allocation &x);
  void leave(const allocation &x);
  void move(const allocation &x, allocation_event by);
  void cover();  // as many slots and types as there are now
  void count(const node &n);
  void add(const allocation &x);
  void look_at_block(uint32_t b);

  struct block_state {
    uint64_t version = 0;  // as of when it was looked at; 0: never
    victim_rank lowest = 0;
  };

  uint64_t revision_ = 1;
  bool kept_ = false;
  uint32_t stride_ = 0;                 // types of a slot
  std::vector<uint8_t> counted_;        // by slot: whether its sums are known
  std::vector<int64_t> sum_, largest_;  // by slot and type
  std::vector<victim_rank> lowest_;     // by slot
  std::vector<block_state> blocks_;
  std::vector<int64_t> block_amounts_;  // by block: free, sum, largest, each by type
  bool follows_ = false;                // what is ending is known, since somebody asked for it first
  allocation_set ending_;
};

}  // namespace tenon::internal
