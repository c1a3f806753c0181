// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the search for victims asks of allocations that are ending: whether an ask need only wait for these.
#include <algorithm>
#include <optional>
#include <span>

#include "ledger/victim_room.hpp"
#include "model/gang_reservations.hpp"
#include "model/victims.hpp"
#include "queueing/node_fitness.hpp"
#include "rules/victim_search.hpp"

namespace tenon::internal {

ending_room victim_search::find_ending(const ask &a, const ask_class &c) {
  const victim_room::allocation_set &all = room.ending();
  if (all.empty()) return {};
  ask_ = &a;
  class_ = &c;
  counts_ending_ = false;
  const bool has_a_claim = look_for_guarantee() && has_claim();
  if (!has_a_claim && !levels_.front().where->intra) return {};
  sort_ending();
  const uint64_t faults = fitness.faults();
  const reservation *own = reservation_of(a);
  std::optional<bool> queues_fit;
  ending_room out;
  auto next = ending_.cbegin();
  for (uint32_t rank = 0; rank < nodes.count(); ++rank) {
    if (short_.empty()) {
      if (next == ending_.cend()) break;
      rank = next->first;
    }
    const auto first = next;
    while (next != ending_.cend() && next->first == rank) ++next;
    node *n = nodes.at(nodes.by_rank()[rank]);
    if (!fits_after(*n, {first, next})) continue;
    if (!queues_fit) queues_fit = fits_queues_after();
    if (!*queues_fit) return {};
    if (!may_make_room(*n)) continue;
    if (own != nullptr && own->where == n) return {true, n};
    out.is_there = true;
    if (out.where == nullptr && !is_reserved_for_another(*n)) out.where = n;
  }
  return fitness.faults() == faults ? out : ending_room{};
}

void victim_search::sort_ending() {
  ending_.clear();
  for (const allocation *x : room.ending()) ending_.emplace_back(nodes.rank(x->where->slot), x);
  std::sort(ending_.begin(), ending_.end(), [](const auto &x, const auto &y) { return x.first < y.first; });
}

std::span<const victim_search::ranked_allocation> victim_search::ending_between(uint32_t rank, uint32_t end) const {
  const auto before = [](const ranked_allocation &x, uint32_t r) { return x.first < r; };
  const auto from = std::lower_bound(ending_.cbegin(), ending_.cend(), rank, before);
  return {from, std::lower_bound(from, ending_.cend(), end, before)};
}

bool victim_search::is_reserved_for_another(const node &n) const {
  return std::any_of(n.reservations->begin(), n.reservations->end(),
                     [&](const reservation *r) { return !is_for(*r, *ask_); });
}

// Where others reserved the node it is theirs.
std::span<const victim_search::ranked_allocation> victim_search::ending_on(const node &n) const {
  if (!counts_ending_ || ending_.empty()) return {};
  const uint32_t rank = nodes.rank(n.slot);
  return is_reserved_for_another(n) ? std::span<const ranked_allocation>() : ending_between(rank, rank + 1);
}

bool victim_search::some_end_in(uint32_t block) const {
  const uint32_t first = block * node_table::ranks_a_block;
  return counts_ending_ && !ending_between(first, first + node_table::ranks_a_block).empty();
}

void victim_search::start_devices(free_devices &out, const node &n, std::span<const ranked_allocation> ending) const {
  out.start(nodes.devices().of(n.slot), class_->types);
  for (const auto &[rank, x] : ending) {
    if (x->devices != no_record) out.give(held_devices_of[x->devices].held);
  }
}

bool victim_search::fits_queues_after() {
  const size_t types = class_->positive.size();
  given_.assign(levels_.size() * types, 0);
  const auto count = [&](queue *home, uint32_t of_class) {
    while (mark_of(*home).level == unknown) home = home->parent;
    for (size_t i = home->mark.level; i < levels_.size(); ++i) {
      for (size_t k = 0; k < types; ++k) {
        int64_t &given = given_[i * types + k];
        given = add_saturating(given, classes[of_class].need[class_->positive[k].type]);
      }
    }
  };
  for (const auto &[rank, x] : ending_) count(x->owner->home, x->class_id);
  for (size_t i = 0; i < levels_.size(); ++i) {
    const queue &q = *levels_[i].where;
    if (q.parent == nullptr) continue;  // root refuses nothing that fits on a node
    for (size_t k = 0; k < types; ++k) {
      const class_amount &p = class_->positive[k];
      if (!q.max.has(p.type)) continue;
      const int64_t used = add_saturating(q.allocated[p.type], claimed_by_others(q, p.type));
      const int64_t missing = sub_saturating(add_saturating(used, p.amount), q.max[p.type]);
      if (missing > given_[i * types + k]) return false;
    }
  }
  return true;
}

// `ending`: what is ending there.
bool victim_search::fits_after(const node &n, std::span<const ranked_allocation> ending) {
  const int64_t *free = nodes.free(n.slot);
  for (const class_amount &p : class_->positive) {
    int64_t left = free[p.type];
    for (const auto &[rank, x] : ending) left = add_saturating(left, classes[x->class_id].need[p.type]);
    for (const reservation *r : *n.reservations) {
      if (!is_for(*r, *ask_)) left = sub_saturating(left, classes[r->of->class_id].need[p.type]);
    }
    if (left < p.amount) return false;
  }
  start_devices(devices_, n, ending);
  return devices_.fits(*class_);
}

}  // namespace tenon::internal
