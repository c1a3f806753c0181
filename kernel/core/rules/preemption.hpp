// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Preemption for a guarantee, and within a queue: when an ask tries to take room from others, and on which node. Who
// gives way is found by victim_search, and what becomes of those by claims.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "tenon/kernel/decisions.hpp"

namespace tenon::internal {

struct preemption_access {
  core &shared;
  const partition_config &config;
  const class_table &classes;
  ask_waits &waits;
  const preemption_times &times;
  const victim_room &victims;
  placement_checks &checks;
  victim_search &search;
  internal::claims &claims;
  held_off_asks &held_off;
  internal::reservations &reservations;
};

class preemption : preemption_access {
 public:
  explicit preemption(const preemption_access &all) : preemption_access(all) {}

  bool try_for(ask &a);
  [[nodiscard]] bool may_attempt(const ask &a) const;
  void attempted(ask &a);  // whatever comes of it, the next attempt is later
  // The node to reserve for the ask; null: there is none. It waits for what is ending there, or victims that the search
  // has found make room. `held_off`: none is there for reservations of others.
  struct room_to_make {
    node *where = nullptr;
    bool by_waiting = false, held_off = false;
  };
  room_to_make find_room(ask &a);
  // One of those for a gang.
  void reserve_for_gang(ask &a, node &n, way_to_room way, const std::vector<allocation *> &victims_there);
  void end_of_gang(application &app, const reason &why);  // all of those, where there are any

 private:
  // A try that failed: of which priority, whether the ask had waited in vain, and whether that was for reservations of
  // others.
  struct failed_try {
    int32_t priority = 0;
    bool waited = false;
    bool held_off = false;
  };
  using failed_tries = boost::unordered_flat_map<std::pair<const queue *, uint32_t>, failed_try>;  // by leaf and class

  void end_others_on(const node &n, const ask &by);
  node *find_ending(ask &a, bool &by_waiting);
  node *find_victims(ask &a, bool &off);
  failed_tries &failed_now();

  failed_tries failed_;        // asks like these fail again
  uint64_t failed_since_ = 0;  // as long as nothing changed since this one
};

}  // namespace tenon::internal
