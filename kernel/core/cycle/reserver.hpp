// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reserver: an ask that no node has room for gets one kept for it, when it waited long enough.
#pragma once

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct reserver_access {
  const core &shared;
  const reserved_line &line;
  const internal::headroom &headroom;
  ready_index &ready;
  node_search &search;
  internal::reservations &reservations;
};

class reserver : reserver_access {
 public:
  explicit reserver(const reserver_access &all) : reserver_access(all) {}

  // The first placeholder of a gang may attempt to have nodes reserved for all of it, which empty.
  [[nodiscard]] bool may_reserve_for_gang(const ask &first) const;
  // The queue that does not hold the ask beside those below it for which nodes are reserved; null: there is none.
  [[nodiscard]] queue *crowded_queue(const ask &a, const ask_class &c) const;
  // `refused`: set where the resource manager did not agree with a node.
  bool reserve(ask &a, ask_class &c, bool &refused);
};

}  // namespace tenon::internal
