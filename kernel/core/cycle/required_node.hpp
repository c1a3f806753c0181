// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Required node: what an ask that requires a node does at its turn. It takes the node from those who could go
// elsewhere.
#pragma once

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct required_node_access {
  const class_table &classes;
  const node_table &nodes;
  const node_fitness &fitness;
  placement_checks &checks;
  ready_index &ready;
  internal::reservations &reservations;
  allocation_lifecycle &lifecycle;
};

class required_node : required_node_access {
 public:
  explicit required_node(const required_node_access &all) : required_node_access(all) {}

  // The ask is placed on it, or it is kept for the ask. `refused`: the resource manager did not agree.
  bool take(ask &a, ask_class &c, bool &refused);
};

}  // namespace tenon::internal
