// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Node search: the nodes in the order in which an ask tries them, and the first that it may have.
#pragma once

#include <cstdint>
#include <vector>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/device_records.hpp"
#include "model/objects.hpp"
#include "policies/node_sorting.hpp"
#include "rules/reserved_nodes.hpp"

namespace tenon::internal {

struct found_node {
  node *where = nullptr;
  held_devices chosen = {};  // by the order, of one type; of none where it chose none that can be had

  explicit operator bool() const { return where != nullptr; }
};

struct node_search_access {
  core &shared;
  node_table &nodes;
  node_sortings &sortings;
  const call_contexts &contexts;
  policy_fallback &fallback;
  const node_fitness &fitness;
  placement_checks &checks;
  const reserved_nodes &reserved;
  const class_table &classes;
  const end_times &ends_at;  // when allocations with an execution timeout end
};

class node_search : node_search_access {
 public:
  explicit node_search(const node_search_access &all) : node_search_access(all) {}

  // The first node that holds the ask and may be used for it. Its own reserved one is open to it. `refused`: the
  // resource manager did not agree with some of them.
  found_node find(ask_class &c, ask &a, bool &refused);
  // Those that are reserved for the gang of the application are open to searches for it meanwhile.
  void open_nodes_of(const application &app, bool open);
  // Of the nodes without reservation the one that lacks least of what the ask needs.
  node *find_to_reserve(ask_class &c, ask &a, bool &refused);
  // Of these the one on which least has to end: the largest part of the need, of any type, that is missing is smallest.
  // What has an execution timeout counts as if it had ended. Of equals the first in order.
  node *find_to_empty(ask_class &c, ask &a, bool &refused);
  // All of these in that order, whatever the resource manager says of them.
  std::vector<node *> nodes_to_empty(ask_class &c, const ask &a);

 private:
  [[nodiscard]] double part_to_end(const node &n, const ask_class &c) const;
  // Of no type: the scheduler chooses.
  held_devices chosen_on(const node &n, const ask_class &c, const device_choice &choice);
  template <class Accept>
  found_node first_of(const ask_class &c, const ask &a, Accept &&accept);
  // Apart from the orders by keys, which most have and which stay close together.
  template <class Accept>
  [[gnu::noinline]] found_node first_scored(scored_order &scored, const ask_class &c, Accept &accept);
  // Until the next call. Null: the policy does not score, or not any longer.
  [[gnu::noinline]] scored_order *scored_for(const ask_class &c, const application &app, scored_order::contents which);
  // Until the next call, by keys. Null: the built-in order failed too.
  node_order *order_for(const application &app);
  void count_for_score(const application &app, const sort_policy &policy, node_sorting::score_order &scored) const;
};

}  // namespace tenon::internal
