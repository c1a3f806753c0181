// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Unfit placements: what a node cannot have any more after a command about it: what is proposed there, what comes there
// in place of a placeholder elsewhere, and reservations of it.
#pragma once

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct unfit_placements_access {
  const class_table &classes;
  const node_fitness &fitness;
  const open_proposals &open;
  internal::proposals &proposals;
  internal::replacements &replacements;
  internal::reservations &reservations;
};

class unfit_placements : unfit_placements_access {
 public:
  explicit unfit_placements(const unfit_placements_access &all) : unfit_placements_access(all) {}

  void end_on(node &n);

 private:
  void break_replacements(node &n);
};

}  // namespace tenon::internal
