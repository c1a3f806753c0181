// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Placer: an ask within all headroom gets what it needs, where a node has it now.
#pragma once

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "rules/node_search.hpp"

namespace tenon::internal {

struct placer_access {
  node_search &search;
  const node_fitness &fitness;
  placement_checks &checks;
  ready_index &ready;
  internal::reservations &reservations;
  allocation_lifecycle &lifecycle;
};

class placer : placer_access {
 public:
  explicit placer(const placer_access &all) : placer_access(all) {}

  // `refused`: set where the resource manager did not agree with a node that would do. A class for which no node is
  // found is not searched for again before a node changes.
  bool place(ask &a, ask_class &c, bool &refused);
  found_node find(ask &a, ask_class &c, bool &refused);  // the same, and nothing is placed
  bool place_on(node &n, ask &a, const ask_class &c, bool &refused);
  // True if the ask could be placed there now.
  bool suits(node &n, const ask &a, const ask_class &c, bool &refused);
  // Where a node was to go to another ask by order, that one has lost it.
  void commit(ask &a, node &n, const held_devices &chosen);
};

}  // namespace tenon::internal
