// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Victim room: how much of each node allocations hold that may give way to somebody: all of them together, and the one
// with most. So a search for victims leaves out nodes without a look at what is there. It is kept from the first
// guarantee on, or from the first search: a partition in which nobody preempts pays nothing for it.
#pragma once

#include <cstdint>
#include <vector>

#include "model/ask_class.hpp"
#include "model/node_table.hpp"
#include "model/objects.hpp"
#include "model/victims.hpp"

namespace tenon::internal {

struct victim_room_access {
  const node_table &nodes;
  const class_table &classes;
};

class victim_room : victim_room_access {
 public:
  explicit victim_room(const victim_room_access &all) : victim_room_access(all) {}

  // Somebody may preempt: nodes are counted while they fill, not by the first search.
  void keep() { kept_ = true; }

  // -- What happens on a node. --
  void came(const allocation &x) {  // not among the node's yet
    if (kept_) enter(x);
  }
  void goes(const allocation &x) {  // it is as it was so far
    if (kept_ && may_give_way(x)) leave(x);
  }
  void moved(const allocation &x, allocation_event by) {  // it is in its new state
    if (kept_) move(x, by);
  }
  void changed(const node &n) {  // in some other way
    if (n.slot < counted_.size()) counted_[n.slot] = unknown;
  }
  // Nobody there was enough. Where an allocation went since it was counted, the next search counts it anew.
  void failed(const node &n) {
    if (n.slot < counted_.size() && counted_[n.slot] == loose) counted_[n.slot] = unknown;
  }

  // False: the node has no room for an ask of the class, whoever gives way there, or where no more than `most` do. True
  // says nothing.
  [[nodiscard]] bool may_do(uint32_t slot, const ask_class &c, size_t most);

 private:
  static constexpr uint8_t unknown = 0, exact = 1, loose = 2;  // loose: none has more than is said, perhaps each less

  void enter(const allocation &x);
  void leave(const allocation &x);
  void move(const allocation &x, allocation_event by);
  void cover();  // as many slots and types as there are now
  void count(const node &n);
  void add(const allocation &x);

  bool kept_ = false;
  uint32_t stride_ = 0;           // types of a slot
  std::vector<uint8_t> counted_;  // by slot: how much of what follows is known of it
  std::vector<int64_t> sum_;      // by slot and type
  std::vector<int64_t> largest_;  // the same: none has more
};

}  // namespace tenon::internal
