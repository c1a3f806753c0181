// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Proposer: placements that the resource manager checks before they are made known. They are counted from the start.
#pragma once

#include "forward.hpp"
#include "model/device_records.hpp"
#include "model/objects.hpp"
#include "rules/open_proposals.hpp"

namespace tenon::internal {

struct proposer_access {
  core &shared;
  open_proposals &open;
  internal::reservations &reservations;
  internal::replacements &replacements;
  internal::gangs &gangs;
  allocation_lifecycle &allocations;
  application_lifecycle &applications;
  change_dispatcher &changes;
};

class proposer : proposer_access {
 public:
  explicit proposer(const proposer_access &all) : proposer_access(all) {}

  [[nodiscard]] bool proposes() const { return open.are_made(); }
  void propose(ask &a, node &n, const held_devices &chosen);
  void propose_replacement(ask &a, allocation &placeholder, node &n, const held_list &devices);

 private:
  void note(application &app, const proposal &p);
};

}  // namespace tenon::internal
