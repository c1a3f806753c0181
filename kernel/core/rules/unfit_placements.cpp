// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/unfit_placements.hpp"

#include <vector>

#include "queueing/node_fitness.hpp"
#include "rules/open_proposals.hpp"
#include "rules/proposals.hpp"
#include "rules/reservations.hpp"

namespace tenon::internal {

void unfit_placements::end_on(node &n) {
  if (open.are_made()) proposals.undo_on(n, {cause::node_unfit}, true);
  const std::vector<reservation *> all = n.reservations;
  for (reservation *r : all) {
    if (r->live && !fitness.is_usable(n, classes[r->of->class_id])) reservations.unreserve(*r, {cause::node_unfit});
  }
}

}  // namespace tenon::internal
