// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/placer.hpp"

#include "queueing/node_fitness.hpp"
#include "queueing/ready_index.hpp"
#include "rules/lifecycles.hpp"
#include "rules/placement_checks.hpp"
#include "rules/reservations.hpp"
#include "rules/reserved_nodes.hpp"

namespace tenon::internal {

bool placer::place(ask &a, ask_class &c, bool &refused) {
  if (c.blocked) return false;
  const found_node found = find(a, c, refused);
  return found && (commit(a, *found.where, found.chosen), true);
}

void placer::commit(ask &a, node &n, const held_devices &chosen) {
  if (reserved_nodes::goes_by_order(n) && n.reservations->front()->of != &a) {
    reservations.lose(*n.reservations->front(), {cause::higher_comes, a.key});
  }
  lifecycle.commit(a, n, chosen);
}

found_node placer::find(ask &a, ask_class &c, bool &refused) {
  bool disagrees = false;
  const found_node found = search.find(c, a, disagrees);
  if (found) return found;
  if (!disagrees && !c.blocked) ready.block(c);
  refused |= disagrees;
  return {};
}

bool placer::place_on(node &n, ask &a, const ask_class &c, bool &refused) {
  return suits(n, a, c, refused) && (commit(a, n, {}), true);
}

bool placer::suits(node &n, const ask &a, const ask_class &c, bool &refused) {
  if (!fitness.fits_now(n, c)) return false;
  const bool agreed = checks.agrees(a, n, true);
  refused |= !agreed;
  return agreed;
}

}  // namespace tenon::internal
