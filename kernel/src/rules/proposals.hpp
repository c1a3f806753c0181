// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Proposals: placements that the resource manager checks before they are made known. They are counted from the start. A
// refusal takes them back, and is remembered (placement_checks). One that is not answered in time is taken back alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/timers.hpp"
#include "model/device_records.hpp"
#include "model/objects.hpp"
#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/decisions.hpp"

namespace tenon::internal {

class allocation_lifecycle;
class application_lifecycle;
class change_dispatcher;
class class_table;
class decision_teller;
class device_holdings;
class gangs;
class limits;
class node_verdicts;
class placeholder_timers;
class placement_checks;
class replacements;
class reservations;
struct core;

class proposals {
 public:
  // `check_deadline_ms`: 0: the resource manager does not check placements.
  proposals(core &shared, uint32_t partition_id, int64_t check_deadline_ms, const class_table &classes,
            const device_records &records, const device_holdings &devices, node_verdicts &verdicts,
            placement_checks &checks, internal::limits &limits, internal::reservations &reservations,
            internal::replacements &replacements, internal::gangs &gangs,
            internal::placeholder_timers &placeholder_timers, allocation_lifecycle &allocations,
            application_lifecycle &applications, decision_teller &decisions, change_dispatcher &changes)
      : shared_(shared),
        partition_id_(partition_id),
        check_deadline_ms_(check_deadline_ms),
        classes_(classes),
        device_records_(records),
        devices_(devices),
        verdicts_(verdicts),
        checks_(checks),
        limits_(limits),
        reservations_(reservations),
        replacements_(replacements),
        gangs_(gangs),
        placeholder_timers_(placeholder_timers),
        allocations_(allocations),
        applications_(applications),
        decisions_(decisions),
        changes_(changes) {}

  [[nodiscard]] bool are_made() const { return check_deadline_ms_ > 0; }  // the resource manager checks them
  [[nodiscard]] size_t open() const { return open_.size(); }
  [[nodiscard]] const proposal *find(uint64_t number) const;  // null: it is none

  // -- Made and answered. --
  void propose(ask &a, node &n);
  void propose_replacement(ask &a, allocation &placeholder, node &n, const held_list &devices);
  void answer(const check_answer &c);

  // -- Deadlines: from the delivery of the check. --
  void delivered(const checks_delivered &c);
  void stop_deadlines();  // nobody is there who could answer
  void restart_deadlines();
  void is_late(uint64_t number);
  [[nodiscard]] bool is_void(const timer &t) const;

  // -- Taken back, by number. False: there were none. --
  using which_proposals = std::function<bool(const proposal &)>;
  void undo(application &app, uint64_t number, const reason &why, bool pending_again,
            allocation_event how = allocation_event::undo);
  bool undo_those(application &app, const which_proposals &which, const reason &why, bool pending_again);
  void undo_all_of(ask &a, const reason &why);
  void undo_all_of(application &app, const reason &why, bool pending_again);
  bool undo_placeholders(application &app, const reason &why);
  // What is to run there, or in place of what runs there; or placements alone that the node does not take any more.
  void undo_on(node &n, const reason &why, bool unfit_alone);
  void undo_offer(allocation &placeholder);  // where there is one

  // As another one has it: for a copy of the partition.
  void take_over(const proposal &p, application &owner);

 private:
  void note(application &app, const proposal &p);
  [[nodiscard]] std::string_view devices_of(const proposal &p) const;
  void emit_proposal(const decided_what &what, const proposal &p);
  proposal take(application &app, uint64_t number);  // it is none any more
  void confirm(application &app, const proposal &p);
  void refuse(application &app, const proposal &p, std::string_view words);
  void arm_deadline(uint64_t number, open_proposal &p);

  core &shared_;
  const uint32_t partition_id_;
  const int64_t check_deadline_ms_;
  const class_table &classes_;
  const device_records &device_records_;
  const device_holdings &devices_;
  node_verdicts &verdicts_;
  placement_checks &checks_;
  internal::limits &limits_;
  internal::reservations &reservations_;
  internal::replacements &replacements_;
  internal::gangs &gangs_;
  internal::placeholder_timers &placeholder_timers_;
  allocation_lifecycle &allocations_;
  application_lifecycle &applications_;
  decision_teller &decisions_;
  change_dispatcher &changes_;
  std::map<uint64_t, open_proposal> open_;  // by number
  uint64_t delivered_to_ = 0;               // number of the last one that the resource manager was given
};

}  // namespace tenon::internal
