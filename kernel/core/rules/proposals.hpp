// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Proposals taken back: what was counted for them is given back, and the ask may be pending again.
#pragma once

#include <cstdint>
#include <functional>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "tenon/kernel/decisions.hpp"

namespace tenon::internal {

struct proposals_access {
  open_proposals &open;
  const class_table &classes;
  const node_fitness &fitness;
  internal::limits &limits;
  internal::replacements &replacements;
  internal::gangs &gangs;
  internal::placeholder_timers &placeholder_timers;
  allocation_lifecycle &allocations;
  application_lifecycle &applications;
  change_dispatcher &changes;
};

class proposals : proposals_access {
 public:
  explicit proposals(const proposals_access &all) : proposals_access(all) {}

  // By number. False: there were none.
  using which_proposals = std::function<bool(const proposal &)>;
  void undo(application &app, uint64_t number, const reason &why, bool pending_again,
            allocation_event how = allocation_event::undo);
  bool undo_those(application &app, const which_proposals &which, const reason &why, bool pending_again);
  void undo_all_of(ask &a, const reason &why);
  void undo_all_of(application &app, const reason &why, bool pending_again);
  bool undo_placeholders(application &app, const reason &why);
  // What is to run there, or in place of what runs there; or of what takes room there that which is unfit for the node.
  void undo_on(node &n, const reason &why, bool unfit_alone);
  // What takes room there, the newest first, while that is more than the node has.
  void undo_beyond(node &n, const reason &why);
  void undo_offer(allocation &placeholder);  // where there is one
};

}  // namespace tenon::internal
