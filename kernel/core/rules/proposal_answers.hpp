// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Proposal answers: what the resource manager says of proposals. A refusal takes them back, and is remembered
// (placement_checks). One that is not answered in time is taken back alone. And what it says to questions about
// reservations.
#pragma once

#include <cstdint>
#include <string_view>

#include "forward.hpp"
#include "model/application_table.hpp"
#include "model/objects.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::internal {

struct proposal_answers_access {
  core &shared;
  const application_table &of;
  const node_table &nodes;
  open_proposals &open;
  internal::proposals &undoing;
  placement_checks &checks;
  held_off_asks &held_off;
  internal::reservations &reservations;
  internal::limits &limits;
  internal::gangs &gangs;
  internal::placeholder_timers &placeholder_timers;
  allocation_lifecycle &allocations;
  application_lifecycle &applications;
  change_dispatcher &changes;
};

class proposal_answers : proposal_answers_access {
 public:
  explicit proposal_answers(const proposal_answers_access &all) : proposal_answers_access(all) {}

  void obey(const check_answer &c);
  void is_late(uint64_t number);

 private:
  void obey_about_reservation(const check_answer &c);
  void confirm(application &app, const proposal &p);
  void refuse(application &app, const proposal &p, std::string_view words);
};

}  // namespace tenon::internal
