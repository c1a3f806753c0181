// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Allocation states: asks from pending to placed and back, and allocations from made to ended, with all that is counted
// for them.
#pragma once

#include <string_view>

#include "core.hpp"
#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/device_records.hpp"
#include "model/objects.hpp"
#include "rules/lifecycles.hpp"
#include "rules/reserved_nodes.hpp"

namespace tenon::internal {

struct allocation_states_access {
  partition_clock clock;
  const class_table &classes;
  slab<ask> &asks;
  text_store &texts;  // of asks
  slab<allocation> &allocations;
  ask_waits &waits;
  const device_records &held_devices_of;
  const resource_intake &intake;
  ask_classifier &classifier;
  device_holdings &holdings;
  ask_lines &lines;
  internal::limits &limits;
  internal::gangs &gangs;
  internal::reservations &reservations;
  held_off_asks &held_off;
  internal::claims &claims;
  open_proposals &proposed;
  internal::proposer &proposer;
  internal::proposals &proposals;
  placement_checks &checks;
  application_lifecycle &applications;
  change_dispatcher &changes;
};

class allocation_states final : public allocation_lifecycle, allocation_states_access {
 public:
  explicit allocation_states(const allocation_states_access &all) : allocation_states_access(all) {}

  [[nodiscard]] const end_times &ends_at() const { return ends_at_; }  // of those with an execution timeout
  [[nodiscard]] const uint64_t &count() const { return count_; }       // live ones, foreign left out

  // -- Made. --
  void commit(ask &a, node &n, const held_devices &chosen) override;
  [[nodiscard]] allocation_terms terms_of(const ask &a) const override;
  uint64_t take_sequence() override { return next_++; }
  allocation &place_on(ask &a, node &n, const allocation_terms &terms, const settled_devices &devices,
                       allocation_event how) override;
  // One that runs already, since then where that is known (not 0).
  allocation &place_existing(ask &a, node &n, const allocation_terms &terms, std::string_view detail,
                             int64_t bind_time_ms);
  void announce(const allocation &x, const allocation_terms &terms, bool existing = false) override;
  void resize(allocation &a, const resources &need, std::string_view detail);

  // -- Gone, or on its way out. --
  void move(allocation &a, allocation_event event, const reason *why) override;
  void expire(allocation &a, const reason &why) override;
  void remove_allocation(allocation &a, allocation_event how, bool keeps_ask = false) override;
  void dismiss(allocation &a, const reason &why);  // as a command wants it, of which the RM is told
  void undo(allocation &a);                        // its ask is pending again

  // -- Asks. --
  ask &create_ask(application &owner, const ask_key &key);  // of a key that it does not have
  void add_pending_of(ask &a, int64_t times);
  void count_placed(ask &a) override;
  bool unplace(ask &a) override;
  // `told`: why, where the resource manager does not know it.
  void withdraw(ask &a, termination end = termination::stopped_by_rm, const reason *told = nullptr);
  // Withdrawn for good.
  void drop(ask &a, termination end = termination::stopped_by_rm, const reason *told = nullptr);
  void begin_anew(ask &a);  // the RM sent it again: of what it waited for, only starts that failed are remembered
  void forget_if_done(ask &a) override;

  // -- For a copy of the partition. --
  // `sequence`, `bind_time_ms` and the state are the other's; it stands in that state.
  allocation &copy(uint64_t sequence, int64_t bind_time_ms, allocation_state state, ask &a, node &n,
                   const allocation_terms &terms, std::string_view detail);
  void follow(end_times ends_at, uint64_t next) {
    ends_at_ = std::move(ends_at);
    next_ = next;
  }
  [[nodiscard]] uint64_t next_number() const { return next_; }

 private:
  void start_failed(ask &a, const node &where);
  void forget_wait(ask &a);
  allocation &make_allocation(ask &a, node &n, const allocation_terms &terms, int64_t bind_time_ms);
  void count_allocation(allocation &x, const settled_devices &devices);
  void count_past_use(const allocation &a);

  end_times ends_at_;  // by sequence
  uint64_t count_ = 0;
  uint64_t next_ = 1;
};

}  // namespace tenon::internal
