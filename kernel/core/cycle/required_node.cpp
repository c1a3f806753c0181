// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/required_node.hpp"

#include <algorithm>

#include "model/node_table.hpp"
#include "queueing/node_fitness.hpp"
#include "queueing/ready_index.hpp"
#include "rules/lifecycles.hpp"
#include "rules/placement_checks.hpp"
#include "rules/reservations.hpp"

namespace tenon::internal {

bool required_node::take(ask &a, ask_class &c, bool &refused) {
  node *n = nodes.find(c.required_node);
  if (n == nullptr || !fitness.fits_empty(*n, c)) {
    if (!c.blocked) ready.block(c);
    return false;
  }
  const bool kept = std::any_of(n->reservations->begin(), n->reservations->end(),
                                [&](const reservation *r) { return classes[r->of->class_id].requires_a_node(); });
  const bool now = !kept && nodes.holds(c, n->slot);
  refused = now ? !checks.agrees(a, *n, true) : !checks.agrees_to_reserve(a, *n);
  if (refused) return false;
  if (!kept && !n->reservations->empty()) {
    reservations.unreserve(*n->reservations->front(), {cause::daemon_comes, a.key});
  }
  if (now) {
    lifecycle.commit(a, *n, {});
  } else {
    reservations.reserve(a, *n);
  }
  return true;
}

}  // namespace tenon::internal
