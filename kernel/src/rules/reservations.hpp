// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reservations: nodes kept for asks that wait. Made and ended, who else may use such a node, and pass A of the cycle,
// in which those who have a reservation go first.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/slab.hpp"
#include "base/timers.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "ready/rule_ports.hpp"
#include "tenon/kernel/decisions.hpp"

namespace tenon::internal {

class allocation_lifecycle;
class ask_alarms;
class ask_lines;
class change_dispatcher;
class decision_teller;
class device_holdings;
class fact_teller;
class limits;
class node_search;
class node_table;
class node_verdicts;
class placement_checks;
class preemption;
class proposals;
class ready_index;
struct core;
struct node_sortings;

using end_times = boost::unordered_flat_map<uint64_t, int64_t>;  // by sequence of the allocation

class reservations final : public reserved_line {
 public:
  // `total`: of all nodes. `ends_at`: when allocations with an execution timeout end.
  reservations(core &shared, uint32_t partition_id, const partition_config &config, class_table &classes,
               node_table &nodes, const resources &total, const device_records &records, const device_holdings &devices,
               const end_times &ends_at, node_sortings &sortings, ask_waits &waits, ready_index &ready,
               ask_lines &lines, ask_alarms &alarms, const internal::limits &limits, node_verdicts &verdicts,
               placement_checks &checks, internal::preemption &preemption, internal::proposals &proposals,
               node_search &search, allocation_lifecycle &lifecycle, decision_teller &decisions,
               const fact_teller &facts, change_dispatcher &changes)
      : shared_(shared),
        partition_id_(partition_id),
        config_(config),
        classes_(classes),
        nodes_(nodes),
        total_(total),
        device_records_(records),
        devices_(devices),
        ends_at_(ends_at),
        sortings_(sortings),
        waits_(waits),
        ready_(ready),
        lines_(lines),
        alarms_(alarms),
        limits_(limits),
        verdicts_(verdicts),
        checks_(checks),
        preemption_(preemption),
        proposals_(proposals),
        search_(search),
        lifecycle_(lifecycle),
        decisions_(decisions),
        facts_(facts),
        changes_(changes) {}

  [[nodiscard]] const slab<reservation, small_page_bytes> &all() const { return all_; }
  [[nodiscard]] int64_t reserves_at(const ask &a) const override;
  [[nodiscard]] bool keeps_others_out(const node &n) const;
  [[nodiscard]] bool may_use(const ask &a, const ask_class &c, const node &n) const;

  // -- Pass A, and what the cycle does with asks that cannot be placed now. --
  [[nodiscard]] bool has_work() const { return !heap_.empty(); }
  bool decide();
  bool try_to_reserve(ask &a, ask_class &c, bool &refused);
  bool try_required(ask &a, ask_class &c, bool &refused);

  // -- Made and ended. --
  void reserve(ask &a, node &n);
  void end(reservation &r, const reason &why);
  void unreserve(reservation &r, const reason &why);  // and the ask lines up again
  node *use(ask &a);                                  // the node that is to be reopened, or null
  void drop(ask &a);
  void drop_all(application &app);
  void reopen(node &n);
  void check(node &n);  // after a command about it
  void is_due(const timer &t);
  [[nodiscard]] bool is_void(const timer &t) const;

  // -- The line of reserved asks. --
  void join(ask &a) override;
  void leave(ask &a) override;
  void refresh(reservation &r) override;  // its place in its unit
  void refresh(reserved_unit &u) override;
  void refresh(application &app) override;
  void look_again(node &n) override;
  void look_for_victims(node &n);  // there may be more to preempt for those who require it
  void wake_refused() override;

  // As another one has them: for a copy of the partition.
  void number_from(uint64_t next) { next_ = next; }
  [[nodiscard]] uint64_t next_number() const { return next_; }
  void flush() { all_.flush(); }

 private:
  [[nodiscard]] bool ends_in_time(const ask_class &c, const node &n, const ask_class &reserved) const;
  reserved_unit &unit_of(queue &leaf, uint32_t class_id);
  void look_again(reservation &r);
  bool try_one(reservation &r);
  bool place(reservation &r, bool &refused);
  node *node_to_reserve(ask &a, ask_class &c, bool &refused);

  core &shared_;
  const uint32_t partition_id_;
  const partition_config &config_;
  class_table &classes_;
  node_table &nodes_;
  const resources &total_;
  const device_records &device_records_;
  const device_holdings &devices_;
  const end_times &ends_at_;
  node_sortings &sortings_;
  ask_waits &waits_;
  ready_index &ready_;
  ask_lines &lines_;
  ask_alarms &alarms_;
  const internal::limits &limits_;
  node_verdicts &verdicts_;
  placement_checks &checks_;
  internal::preemption &preemption_;
  internal::proposals &proposals_;
  node_search &search_;
  allocation_lifecycle &lifecycle_;
  decision_teller &decisions_;
  const fact_teller &facts_;
  change_dispatcher &changes_;
  slab<reservation, small_page_bytes> all_;
  uint64_t next_ = 1;
  reserved_heap heap_;                  // units that pass A looks at
  std::vector<reservation *> refused_;  // by the resource manager
};

}  // namespace tenon::internal
