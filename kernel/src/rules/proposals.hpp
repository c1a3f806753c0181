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
#include "model/objects.hpp"
#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/decisions.hpp"

namespace tenon::internal {

struct partition;

class proposals {
 public:
  explicit proposals(partition &p) : p_(p) {}

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

  partition &p_;
  std::map<uint64_t, open_proposal> open_;  // by number
  uint64_t delivered_to_ = 0;               // number of the last one that the resource manager was given
};

}  // namespace tenon::internal
