// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/reserver.hpp"

#include "core.hpp"
#include "model/queue_turns.hpp"
#include "queueing/ready_index.hpp"
#include "queueing/reserved_line.hpp"
#include "rules/headroom.hpp"
#include "rules/node_search.hpp"
#include "rules/reservations.hpp"

namespace tenon::internal {

bool reserver::may_reserve_for_gang(const ask &first) const {
  return line.reserves_for_gang_at(first) <= shared.now_ms;
}

queue *reserver::crowded_queue(const ask &a, const ask_class &c) const {
  for (queue *q = a.owner->home; q->parent != nullptr; q = q->parent) {
    for (const class_amount &p : c.positive) {
      if (!q->max.has(p.type) || q->reserved_below.empty()) continue;
      const int64_t left = sub_saturating(headroom_for(*q, a, p.type), reservations.need_below(*q, p.type));
      if (p.amount > left) return q;
    }
  }
  return nullptr;
}

bool reserver::reserve(ask &a, ask_class &c, bool &refused) {
  if (c.unreservable || line.reserves_at(a) > shared.now_ms) return false;
  if (line.has_most_nodes(*a.owner) || crowded_queue(a, c) != nullptr) return false;
  type_index type = no_type;
  const bool full = headroom.is_cluster_full(c, type);
  if (full && !may_empty_for(*a.owner)) return false;
  bool disagrees = false;
  node *n = full ? search.find_to_empty(c, a, disagrees) : search.find_to_reserve(c, a, disagrees);
  if (n != nullptr) {
    reservations.reserve(a, *n, full ? way_to_room::it_empties : way_to_room::as_it_comes);
    return true;
  }
  if (c.blocked && !disagrees) ready.block_reserving(c);
  refused |= disagrees;
  return false;
}

}  // namespace tenon::internal
