// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Gang room: for all placeholders of a gang that begins whole, nodes where each has room once those that give way are
// gone: all of that in one decision, or nothing (docs/decisions-gangs.md, section 5).
#pragma once

#include <map>
#include <vector>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "rules/node_search.hpp"

namespace tenon::internal {

struct gang_room_access {
  class_table &classes;
  const reserved_line &line;
  const internal::reserver &reserver;
  node_search &search;
  victim_search &victims;
  placement_checks &checks;
  internal::preemption &preemption;
  tried_room &room;
};

class gang_room : gang_room_access {
 public:
  explicit gang_room(const gang_room_access &all) : gang_room_access(all) {}

  // Reserves a node for each pending placeholder, and has others give way where that is needed; where the first may not
  // attempt to preempt, or nobody gives way, nodes that empty. `asks`: those with pending placeholders, in order, of
  // one application. `tried` gets those that made an attempt, whatever came of it.
  bool make(const std::vector<ask *> &asks, std::vector<ask *> &tried);
  void use(application &app);  // it is placed

 private:
  struct seat {
    ask *of;
    node *where;
    std::vector<allocation *> victims;  // that give way for it
  };
  bool find_all(const std::vector<ask *> &asks, way_to_room way, std::vector<ask *> &tried);
  bool find_one(ask &a, way_to_room way, std::vector<ask *> &tried);
  found_node find_place(ask &a, ask_class &c);  // where it has room as things are, and nobody else reserved
  void find_victims(seat &s, std::vector<ask *> &tried);
  node *find_to_empty(ask &a, ask_class &c);
  [[nodiscard]] bool holds_beside_gang(const node &n, const ask_class &c) const;  // were nothing else on it

  struct nodes_in_order {
    std::vector<node *> nodes;  // first the one on which least has to end
    size_t next = 0;            // those before it hold no more
    bool nothing_is_free = false;
  };
  std::vector<seat> seats_;
  std::map<uint32_t, resources> of_gang_;        // on each node, by slot
  std::map<uint32_t, nodes_in_order> to_empty_;  // by class
};

}  // namespace tenon::internal
