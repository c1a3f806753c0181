// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Preemption: when an ask tries to take room from others, what it takes, and its victims until the resource manager
// confirms that they are gone. Who they are is found by victim_search.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "ready/rule_ports.hpp"
#include "rules/victim_search.hpp"
#include "tenon/kernel/decisions.hpp"

namespace tenon::internal {

class allocation_lifecycle;
class ask_alarms;
class ask_lines;
class change_dispatcher;
class decision_teller;
class device_holdings;
class fact_teller;
class node_verdicts;
class placement_checks;
class ready_index;
class reservations;
struct core;

class preemption final : public preemption_clock {
 public:
  // `by_proposals`: the resource manager checks what is proposed. `total`: of all nodes.
  preemption(core &shared, bool by_proposals, const partition_config &config, const class_table &classes,
             const node_table &nodes, const device_records &records, const device_holdings &devices,
             const resources &total, ask_waits &waits, ready_index &ready, ask_lines &lines, ask_alarms &alarms,
             node_verdicts &verdicts, placement_checks &checks, internal::reservations &reservations,
             allocation_lifecycle &lifecycle, decision_teller &decisions, const fact_teller &facts,
             change_dispatcher &changes)
      : shared_(shared),
        by_proposals_(by_proposals),
        config_(config),
        classes_(classes),
        nodes_(nodes),
        device_records_(records),
        devices_(devices),
        waits_(waits),
        ready_(ready),
        lines_(lines),
        alarms_(alarms),
        verdicts_(verdicts),
        checks_(checks),
        reservations_(reservations),
        lifecycle_(lifecycle),
        decisions_(decisions),
        facts_(facts),
        changes_(changes),
        search_(*this, reservations, nodes, classes, records, total) {}

  // The guarantee of the leaf, or of a queue above it, says something of a type that the class needs.
  static bool is_guaranteed(const queue &leaf, const ask_class &c);
  static bool spares(const queue &leaf);  // what is in it gives way to nobody
  [[nodiscard]] int64_t preempts_at(const ask &a) const override;
  // Room may be made there for the ask, but for reservations. Not where the RM refused the node, whatever is free
  // there.
  [[nodiscard]] bool may_make_room(const node &n, const ask &a) const;
  [[nodiscard]] victim_search &search() { return search_; }  // for people
  [[nodiscard]] const std::vector<ask *> &claimants() const { return claimants_; }
  // Something changed that a search for victims looks at.
  void changed() { ++revision_; }

  // -- Tries. --
  bool try_for(ask &a);
  bool try_on(node &n, ask &a);  // which it requires
  // A reservation ended: those whom it held off may try again.
  void reservation_ended() {
    if (!held_off_.empty()) call_held_off();
  }
  void forget(ask &a);  // nobody waits for its victims any more, nor does it

  // -- Victims. --
  // `by`: who waits for them; null: nobody. `over`: the queue that has more than its max.
  void take_victims(const std::vector<allocation *> &victims, const reason &why, ask *by, const queue *over = nullptr);
  void victim_gone(const allocation &a);

  // As another one has them: for a copy of the partition.
  void claim(ask &by, const std::vector<allocation *> &victims);
  void hold_off(ask &a);
  [[nodiscard]] const std::map<uint64_t, ask *> &held_off() const { return held_off_; }

 private:
  node *find_victims(ask &a, bool &off);
  void forget_held_off(ask &a);
  void call_held_off();
  void add_victim(ask &by, allocation &x);
  void forget_victims(ask &a);

  core &shared_;
  const bool by_proposals_;
  const partition_config &config_;
  const class_table &classes_;
  const node_table &nodes_;
  const device_records &device_records_;
  const device_holdings &devices_;
  ask_waits &waits_;
  ready_index &ready_;
  ask_lines &lines_;
  ask_alarms &alarms_;
  node_verdicts &verdicts_;
  placement_checks &checks_;
  internal::reservations &reservations_;
  allocation_lifecycle &lifecycle_;
  decision_teller &decisions_;
  const fact_teller &facts_;
  change_dispatcher &changes_;
  victim_search search_;
  uint64_t revision_ = 1;               // how often something changed that a search looks at
  std::vector<ask *> claimants_;        // asks with victims under way
  std::map<uint64_t, ask *> held_off_;  // whose last try failed for reservations of others, by that try
  boost::unordered_flat_map<const allocation *, ask *> victims_for_;
};

}  // namespace tenon::internal
