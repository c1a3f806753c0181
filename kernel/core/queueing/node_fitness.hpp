// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Node fitness: whether a node is one for asks of a class, by its amounts, its devices and the predicates.
#pragma once

#include <algorithm>

#include "ledger/device_holdings.hpp"
#include "model/ask_class.hpp"
#include "model/node_table.hpp"
#include "queueing/rule_ports.hpp"

namespace tenon::internal {

struct node_fitness_access {
  const node_table &nodes;
  const device_holdings &devices;
  node_filter &predicates;
};

class node_fitness : node_fitness_access {
 public:
  explicit node_fitness(const node_fitness_access &all) : node_fitness_access(all) {}

  [[nodiscard]] bool passes(const node &n, const ask_class &c) const { return predicates.passes(c, n.slot); }
  // Whatever predicates say of it.
  [[nodiscard]] bool has_room(const node &n, const ask_class &c) const { return nodes.holds(c, n.slot); }
  // More is taken there than the node has, of a type that the ask needs.
  [[nodiscard]] bool is_overcommitted(const node &n, const ask_class &c) const {
    const int64_t *free = nodes.free(n.slot);
    return std::any_of(c.positive.begin(), c.positive.end(), [&](const class_amount &p) { return free[p.type] < 0; });
  }
  // With what is free there now.
  [[nodiscard]] bool fits_now(const node &n, const ask_class &c) const {
    return nodes.holds(c, n.slot) && predicates.passes(c, n.slot);
  }
  // With the room of the placeholder, whose devices the ask would have.
  [[nodiscard]] bool fits_in_place_of(const allocation &placeholder, const ask_class &c, held_list &taken) const {
    const node &n = *placeholder.where;
    return (c.required_node.empty() || c.required_node == n.id) && devices.take_over(c, placeholder, taken) &&
           passes(n, c);
  }
  // Were nothing of the scheduler's on it.
  [[nodiscard]] bool fits_empty(const node &n, const ask_class &c) const {
    return devices.may_hold(n, c) && predicates.passes(c, n.slot);
  }
  // The same two for those who only wake what waits.
  [[nodiscard]] bool may_fit_now(const node &n, const ask_class &c) const {
    return nodes.holds(c, n.slot) && predicates.may_pass(c, n.slot);
  }
  [[nodiscard]] bool may_fit_empty(const node &n, const ask_class &c) const {
    return devices.may_hold(n, c) && predicates.may_pass(c, n.slot);
  }
  [[nodiscard]] uint64_t faults() const { return predicates.faults(); }
  // It fits empty, and asks of the class may still come to it.
  [[nodiscard]] bool is_usable(const node &n, const ask_class &c) const {
    return (n.schedulable() || c.requires_a_node()) && fits_empty(n, c);
  }
};

}  // namespace tenon::internal
