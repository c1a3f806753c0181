// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Proposer: placements that the resource manager checks before they are made known. They are counted from the start.
#pragma once

#include "model/device_records.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

class allocation_lifecycle;
class application_lifecycle;
class change_dispatcher;
class gangs;
class open_proposals;
class replacements;
class reservations;
struct core;

class proposer {
 public:
  proposer(core &shared, open_proposals &open, internal::reservations &reservations,
           internal::replacements &replacements, internal::gangs &gangs, allocation_lifecycle &allocations,
           application_lifecycle &applications, change_dispatcher &changes)
      : shared_(shared),
        open_(open),
        reservations_(reservations),
        replacements_(replacements),
        gangs_(gangs),
        allocations_(allocations),
        applications_(applications),
        changes_(changes) {}

  void propose(ask &a, node &n);
  void propose_replacement(ask &a, allocation &placeholder, node &n, const held_list &devices);

 private:
  void note(application &app, const proposal &p);

  core &shared_;
  open_proposals &open_;
  internal::reservations &reservations_;
  internal::replacements &replacements_;
  internal::gangs &gangs_;
  allocation_lifecycle &allocations_;
  application_lifecycle &applications_;
  change_dispatcher &changes_;
};

}  // namespace tenon::internal
