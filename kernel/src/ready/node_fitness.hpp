// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Node fitness: whether a node is one for asks of a class, by its amounts, its devices and the predicates.
#pragma once

#include "ledger/device_holdings.hpp"
#include "model/ask_class.hpp"
#include "model/node_table.hpp"
#include "ready/rule_ports.hpp"

namespace tenon::internal {

class node_fitness {
 public:
  node_fitness(const node_table &nodes, const device_holdings &devices, node_filter &predicates)
      : nodes_(nodes), devices_(devices), predicates_(predicates) {}

  [[nodiscard]] bool passes(const node &n, const ask_class &c) const { return predicates_.passes(c, n.slot); }
  // With what is free there now.
  [[nodiscard]] bool fits_now(const node &n, const ask_class &c) const {
    return nodes_.holds(c, n.slot) && predicates_.passes(c, n.slot);
  }
  // Were nothing of the scheduler's on it.
  [[nodiscard]] bool fits_empty(const node &n, const ask_class &c) const {
    return devices_.may_hold(n, c) && predicates_.passes(c, n.slot);
  }
  // The same, and asks of the class may still come to it.
  [[nodiscard]] bool is_usable(const node &n, const ask_class &c) const {
    return (n.schedulable() || c.requires_a_node()) && fits_empty(n, c);
  }

 private:
  const node_table &nodes_;
  const device_holdings &devices_;
  node_filter &predicates_;
};

}  // namespace tenon::internal
