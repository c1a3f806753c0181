// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Unfit placements: what a node cannot have any more after a command about it: placements that are proposed there, and
// reservations of it.
#pragma once

#include "model/ask_class.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

class node_fitness;
class open_proposals;
class proposals;
class reservations;

class unfit_placements {
 public:
  unfit_placements(const class_table &classes, const node_fitness &fitness, const open_proposals &open,
                   internal::proposals &proposals, internal::reservations &reservations)
      : classes_(classes), fitness_(fitness), open_(open), proposals_(proposals), reservations_(reservations) {}

  void end_on(node &n);

 private:
  const class_table &classes_;
  const node_fitness &fitness_;
  const open_proposals &open_;
  internal::proposals &proposals_;
  internal::reservations &reservations_;
};

}  // namespace tenon::internal
