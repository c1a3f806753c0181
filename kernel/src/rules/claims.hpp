// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Claims: allocations that give way (victims), until the resource manager confirms that they are gone, and the asks
// that wait for that (claimants).
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "tenon/kernel/decisions.hpp"

namespace tenon::internal {

class allocation_lifecycle;
class ask_alarms;
class change_dispatcher;
class fact_teller;

class claims {
 public:
  claims(const class_table &classes, ask_waits &waits, ask_alarms &alarms, allocation_lifecycle &lifecycle,
         const fact_teller &facts, change_dispatcher &changes)
      : classes_(classes), waits_(waits), alarms_(alarms), lifecycle_(lifecycle), facts_(facts), changes_(changes) {}

  [[nodiscard]] const std::vector<ask *> &claimants() const { return claimants_; }
  // `by`: who waits for them; null: nobody. `over`: the queue that has more than its max.
  void take(const std::vector<allocation *> &victims, const reason &why, ask *by, const queue *over = nullptr);
  void victim_gone(const allocation &a);
  void forget(ask &a);  // it waits for its victims no more, which go all the same

  // As another one has them: for a copy of the partition.
  void claim(ask &by, const std::vector<allocation *> &victims);

 private:
  void claim(ask &by, allocation &x);

  const class_table &classes_;
  ask_waits &waits_;
  ask_alarms &alarms_;
  allocation_lifecycle &lifecycle_;
  const fact_teller &facts_;
  change_dispatcher &changes_;
  std::vector<ask *> claimants_;  // asks with victims under way
  boost::unordered_flat_map<const allocation *, ask *> claimed_by_;
};

}  // namespace tenon::internal
