// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Victim room: how much of each node allocations hold that may give way to somebody, all of them together. So a search
// for victims leaves out nodes without a look at what is there. It is kept from the first guarantee on, or from the
// first search: a partition in which nobody preempts pays nothing for it.
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
    if (n.slot < counted_.size()) counted_[n.slot] = false;
  }

  // False: the node has no room for an ask of the class, whoever gives way there. True says nothing.
  [[nodiscard]] bool may_do(uint32_t slot, const ask_class &c);

 private:
  void enter(const allocation &x);
  void leave(const allocation &x);
  void move(const allocation &x, allocation_event by);
  void cover();  // as many slots and types as there are now
  void count(const node &n);
  void add(const allocation &x);

  bool kept_ = false;
  uint32_t stride_ = 0;        // types of a slot
  std::vector<bool> counted_;  // by slot: its sums are known
  std::vector<int64_t> sum_;   // by slot and type
};

}  // namespace tenon::internal
