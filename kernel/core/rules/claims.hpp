// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Claims: the allocations that give way (victims), and the asks that wait for that (claimants). Victims give way until
// the resource manager confirms that they are gone.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "tenon/kernel/decisions.hpp"

namespace tenon::internal {

struct claims_access {
  const class_table &classes;
  ask_waits &waits;
  ask_alarms &alarms;
  allocation_lifecycle &lifecycle;
  change_dispatcher &changes;
};

class claims : claims_access {
 public:
  explicit claims(const claims_access &all) : claims_access(all) {}

  // Asks with victims under way, and reserved ones whose node preemption freed.
  [[nodiscard]] const std::vector<ask *> &claimants() const { return claimants_; }
  // `by`: who waits for them; null: nobody. `over`: the queue that has more than its max.
  void take(const std::vector<allocation *> &victims, const reason &why, ask *by, const queue *over = nullptr);
  void victim_gone(const allocation &a);
  void victim_resized(const allocation &a);
  void forget(ask &a);  // it waits for its victims no more, which go all the same
  // Keeps in its queues what the ask needs beyond its victims there, while it is reserved and they are under way or
  // preemption freed its node. For a gang, what all of it needs beyond all of its victims.
  void keep_for(ask &of);
  void tell_change(const awaited_part &before, const awaited_part &now);
  void keep_for_all();  // applications are in other queues

  // As another one has them: for a copy of the partition.
  void claim(ask &by, const std::vector<allocation *> &victims);

 private:
  void claim(ask &by, allocation &x);
  [[nodiscard]] resources need_of_reserved(const application &app) const;

  std::vector<ask *> claimants_;
  boost::unordered_flat_map<const allocation *, ask *> claimed_by_;
};

}  // namespace tenon::internal
