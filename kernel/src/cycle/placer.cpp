// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/placer.hpp"

#include "ready/node_fitness.hpp"
#include "ready/ready_index.hpp"
#include "rules/lifecycles.hpp"
#include "rules/node_search.hpp"
#include "rules/placement_checks.hpp"

namespace tenon::internal {

bool placer::place(ask &a, ask_class &c, bool &refused) {
  if (c.blocked) return false;
  bool disagrees = false;
  node *n = search_.find(c, a, disagrees);
  if (n != nullptr) return lifecycle_.commit(a, *n), true;
  if (!disagrees) ready_.block(c);
  refused |= disagrees;
  return false;
}

bool placer::place_on(node &n, ask &a, const ask_class &c, bool &refused) {
  if (!fitness_.fits_now(n, c)) return false;
  if (checks_.agrees(a, n, true)) return lifecycle_.commit(a, n), true;
  refused = true;
  return false;
}

}  // namespace tenon::internal
