// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Preemption for a guarantee, and within a queue: when an ask tries to take room from others, and on which node. Who
// gives way is found by victim_search, and what becomes of those by claims.
#pragma once

#include <cstdint>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "ready/rule_ports.hpp"

namespace tenon::internal {

struct preemption_access {
  core &shared;
  const partition_config &config;
  const class_table &classes;
  ask_waits &waits;
  ready_index &ready;
  placement_checks &checks;
  victim_search &search;
  internal::claims &claims;
  held_off_asks &held_off;
  internal::reservations &reservations;
};

class preemption final : public preemption_clock, preemption_access {
 public:
  explicit preemption(const preemption_access &all) : preemption_access(all) {}

  [[nodiscard]] int64_t preempts_at(const ask &a) const override;
  bool try_for(ask &a);
  void reservation_ended() override;
  void forget(ask &a);  // nobody waits for its victims any more, nor does it

 private:
  node *find_victims(ask &a, bool &off);
};

}  // namespace tenon::internal
