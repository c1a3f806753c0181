// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the search for victims asks of allocations that are ending: whether an ask need only wait for these.
#include <algorithm>

#include "ledger/victim_room.hpp"
#include "model/victims.hpp"
#include "ready/node_fitness.hpp"
#include "rules/claims.hpp"
#include "rules/victim_search.hpp"

namespace tenon::internal {

// `ending` is in the order of the nodes' ids.
ending_room victim_search::find_ending(const ask &a, const ask_class &c) {
  const victim_room::allocation_set &all = room.ending();
  if (all.empty()) return {};
  ask_ = &a;
  class_ = &c;
  const bool has_a_claim = look_for_guarantee() && has_claim();
  if (!has_a_claim && !levels_.front().where->intra) return {};
  std::vector<const allocation *> ending(all.begin(), all.end());
  std::sort(ending.begin(), ending.end(), [&](const allocation *x, const allocation *y) {
    return nodes.rank(x->where->slot) < nodes.rank(y->where->slot);
  });
  if (!fits_queues_after(ending)) return {};
  std::vector<node *> candidates;
  if (short_.empty()) {
    for (const allocation *x : ending) candidates.push_back(x->where);
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  } else {
    for (const uint32_t slot : nodes.by_rank()) candidates.push_back(nodes.at(slot));
  }
  const uint64_t faults = fitness.faults();
  const reservation *own = reservation_of(a);
  ending_room out;
  for (node *n : candidates) {
    if (!fits_after(*n, ending) || !may_make_room(*n)) continue;
    if (own != nullptr && own->where == n) return {true, n};
    out.is_there = true;
    if (out.where == nullptr && n->reservations->empty()) out.where = n;
  }
  return fitness.faults() == faults ? out : ending_room{};
}

bool victim_search::fits_queues_after(const std::vector<const allocation *> &ending) {
  const size_t types = class_->positive.size();
  given_.assign(levels_.size() * types, 0);
  const auto count = [&](queue *home, uint32_t of_class, int sign) {
    while (mark_of(*home).level == unknown) home = home->parent;
    for (size_t i = home->mark.level; i < levels_.size(); ++i) {
      for (size_t k = 0; k < types; ++k) {
        int64_t &given = given_[i * types + k];
        given = add_saturating(given, sign * classes[of_class].need[class_->positive[k].type]);
      }
    }
  };
  for (const allocation *x : ending) count(x->owner->home, x->class_id, 1);
  for (const ask *by : claims.claimants()) {
    if (by != ask_ && reservation_of(*by) != nullptr) count(by->owner->home, by->class_id, -1);
  }
  for (size_t i = 0; i < levels_.size(); ++i) {
    const queue &q = *levels_[i].where;
    if (q.parent == nullptr) continue;  // root refuses nothing that fits on a node
    for (size_t k = 0; k < types; ++k) {
      const class_amount &p = class_->positive[k];
      if (!q.max.has(p.type)) continue;
      const int64_t missing = sub_saturating(add_saturating(q.allocated[p.type], p.amount), q.max[p.type]);
      if (missing > given_[i * types + k]) return false;
    }
  }
  return true;
}

bool victim_search::fits_after(const node &n, const std::vector<const allocation *> &ending) const {
  const int64_t *free = nodes.free(n.slot);
  const auto before = [&](const allocation *x, uint32_t rank) { return nodes.rank(x->where->slot) < rank; };
  const auto first = std::lower_bound(ending.begin(), ending.end(), nodes.rank(n.slot), before);
  free_devices devices;
  devices.start(nodes.devices().of(n.slot), class_->types);
  for (auto x = first; x != ending.end() && (*x)->where == &n; ++x) {
    if ((*x)->devices != no_record) devices.give(held_devices_of[(*x)->devices].held);
  }
  if (!devices.fits(*class_)) return false;
  return std::all_of(class_->positive.begin(), class_->positive.end(), [&](const class_amount &p) {
    int64_t left = free[p.type];
    for (auto x = first; x != ending.end() && (*x)->where == &n; ++x) {
      left = add_saturating(left, classes[(*x)->class_id].need[p.type]);
    }
    for (const reservation *r : *n.reservations) {
      if (r->of != ask_) left = sub_saturating(left, classes[r->of->class_id].need[p.type]);
    }
    return p.amount <= left;
  });
}

}  // namespace tenon::internal
