// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Nodes: what they have, and what is there.
#pragma once

#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/object_names.hpp"
#include "model/owned.hpp"
#include "model/owned_state.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::internal {

struct node {
  std::string id;
  uint32_t slot = 0;  // column index
  owned_state<node_state, node> state;
  bool divided = false;  // a type of it is divided into devices
  owned<resources, node> capacity, occupied, allocated;
  boost::container::flat_map<std::string, std::string, std::less<>> attributes;
  const std::string *instance_type = nullptr;  // the value of that attribute; null: there is none
  std::vector<allocation *> allocations, foreign;
  owned<std::vector<replacement *>, node> coming;        // from placeholders on other nodes; in `allocated`
  owned<std::vector<reservation *>, node> reservations;  // one, or those of asks that require the node, in order
  uint64_t kept_bytes = 0;                               // of it in kept_amounts

  [[nodiscard]] bool schedulable() const { return state == node_state::schedulable; }
};

}  // namespace tenon::internal
