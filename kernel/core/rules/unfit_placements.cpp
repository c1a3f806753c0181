// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/unfit_placements.hpp"

#include <algorithm>
#include <vector>

#include "queueing/node_fitness.hpp"
#include "rules/open_proposals.hpp"
#include "rules/proposals.hpp"
#include "rules/replacements.hpp"
#include "rules/reservations.hpp"

namespace tenon::internal {

void unfit_placements::end_on(node &n) {
  if (open.are_made()) {
    proposals.undo_on(n, {cause::node_unfit}, true);
    proposals.undo_beyond(n, {cause::node_unfit});
  }
  if (!n.coming->empty()) break_replacements(n);
  const std::vector<reservation *> all = n.reservations;
  for (reservation *r : all) {
    if (r->live && !fitness.is_usable(n, classes[r->of->class_id])) reservations.unreserve(*r, {cause::node_unfit});
  }
}

// Those under way, that of the newest placeholder first: what is unfit, then what there is no room for.
void unfit_placements::break_replacements(node &n) {
  const auto break_where = [&](auto &&is) {
    std::vector<replacement *> all = n.coming;
    std::sort(all.begin(), all.end(), [](const replacement *x, const replacement *y) {
      return x->placeholder->sequence > y->placeholder->sequence;
    });
    for (replacement *r : all) {
      if (r->number == 0 && is(*r)) replacements.undo(*r->placeholder, true, nullptr);
    }
  };
  break_where([&](const replacement &r) { return !fitness.is_usable(n, classes[r.real->class_id]); });
  break_where([&](const replacement &r) { return fitness.is_overcommitted(n, classes[r.terms.class_id]); });
}

}  // namespace tenon::internal
