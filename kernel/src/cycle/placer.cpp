// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/placer.hpp"

#include "ready/node_fitness.hpp"
#include "ready/ready_index.hpp"
#include "rules/lifecycles.hpp"
#include "rules/placement_checks.hpp"

namespace tenon::internal {

bool placer::place(ask &a, ask_class &c, bool &refused) {
  if (c.blocked) return false;
  const found_node found = find(a, c, refused);
  return found && (lifecycle.commit(a, *found.where, found.chosen), true);
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
  if (!fitness.fits_now(n, c)) return false;
  if (checks.agrees(a, n, true)) return lifecycle.commit(a, n, {}), true;
  refused = true;
  return false;
}

}  // namespace tenon::internal
