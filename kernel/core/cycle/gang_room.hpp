// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Gang room: for all placeholders of a gang that begins whole, nodes where each has room once those that give way are
// gone: all of that in one decision, or nothing (docs/decisions-gangs.md, section 5).
#pragma once

#include <vector>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "rules/node_search.hpp"

namespace tenon::internal {

struct gang_room_access {
  class_table &classes;
  node_search &search;
  victim_search &victims;
  placement_checks &checks;
  internal::preemption &preemption;
  tried_room &room;
};

class gang_room : gang_room_access {
 public:
  explicit gang_room(const gang_room_access &all) : gang_room_access(all) {}

  // Reserves a node for each pending placeholder, and has others give way where that is needed. `asks`: those with
  // pending placeholders, in order, of one application; the first is to be one that may attempt to preempt. `tried`
  // gets those that made an attempt, whatever came of it.
  bool make(const std::vector<ask *> &asks, std::vector<ask *> &tried);

 private:
  struct seat {
    ask *of;
    node *where;
    std::vector<allocation *> victims;  // that give way for it
  };
  bool find_all(const std::vector<ask *> &asks, std::vector<ask *> &tried);
  bool find_one(ask &a, std::vector<ask *> &tried);
  found_node find_place(ask &a, ask_class &c);  // where it has room as things are, and nobody reserved

  std::vector<seat> seats_;
};

}  // namespace tenon::internal
