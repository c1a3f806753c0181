// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the search for victims asks of nodes: which of them the ask may have, and which is the best.
#include <algorithm>
#include <utility>

#include "ledger/victim_room.hpp"
#include "model/gang_reservations.hpp"
#include "model/victims.hpp"
#include "queueing/node_fitness.hpp"
#include "rules/needed_victims.hpp"
#include "rules/placement_checks.hpp"
#include "rules/victim_search.hpp"

namespace tenon::internal {

// But for reservations. Not where the RM refused the node, whatever is free there.
bool victim_search::may_make_room(const node &n) const {
  return n.schedulable() && fitness.fits_empty(n, *class_) && !checks.has_refused(*ask_, n);
}

bool victim_search::is_kept_for_another(const node &n) const {
  return std::any_of(n.reservations->begin(), n.reservations->end(),
                     [&](const reservation *r) { return !is_for(*r, *ask_) && r->way != way_to_room::it_empties; });
}

// False: the node that is looked at is no better than the best so far, by what is missing there, the lowest level of
// its victims, and the most that one of them has of a type.
bool victim_search::may_be_better(victim_rank lowest) const {
  const auto &[best_level, best_count, best_share] = best_rank_;
  if (lowest != best_level) return lowest < best_level;
  int64_t count = 1;
  for (size_t k = 0; k < missing_on_node_.size(); ++k) {
    if (missing_on_node_[k] > 0) count = std::max(count, (missing_on_node_[k] - 1) / largest_on_node_[k] + 1);
  }
  if (count != best_count) return count < best_count;
  for (size_t k = 0; k < missing_on_node_.size(); ++k) {
    const int64_t missing = missing_on_node_[k];
    if (missing > 0 && share_of(missing, total_[k]) >= best_share) return false;
  }
  return best_share > 0;
}

// False: whoever gives way on the node, or on those of a block, the ask does not fit one, or none is better than the
// best so far.
bool victim_search::may_be_had(const victim_summary &there, std::span<const ranked_allocation> ending) {
  fits_ = true;
  for (size_t k = 0; k < missing_on_node_.size(); ++k) {
    const class_amount &p = class_->positive[k];
    int64_t &missing = missing_on_node_[k] = sub_saturating(p.amount, there.free[p.type]);
    for (const auto &[rank, x] : ending) missing = sub_saturating(missing, amount(*x, k));
    if (missing > 0 && (missing > there.sum[p.type] || nobody_gives(k))) return false;
    largest_on_node_[k] = there.largest[p.type];
    fits_ = fits_ && missing <= 0;
  }
  return fits_ || may_be_better(there.lowest);
}

bool victim_search::look_at(uint32_t slot) {
  const victim_summary there = room.of(slot);
  node_ = nodes.at(slot);
  const auto ending = ending_on(*node_);
  if (!may_be_had(there, ending)) return false;
  if (!fits_ || !devices_concern_it_) return true;
  start_devices(devices_, *node_, ending);
  if (devices_.fits(*class_)) return true;
  fits_ = false;
  return may_be_better(there.lowest);
}

void victim_search::start_for(const ask &a, const ask_class &c) {
  ask_ = &a;
  class_ = &c;
  counts_ending_ = !has_waited(a);
}

void victim_search::start_search() {
  if (counts_ending_) sort_ending();
  heap_.clear();
  sorted_.clear();
  best_.clear();
  gathered_ = hopeless_ = false;
  looked_at_ = open_ = 0;
  steps_ = 0;
  open_types_.clear();
  candidates_.clear();
  best_rank_ = {INT64_MAX, INT64_MAX, 1};
  missing_on_node_.assign(class_->positive.size(), 0);
  largest_on_node_ = missing_on_node_;
  total_.clear();
  for (const class_amount &p : class_->positive) total_.push_back(total[p.type]);
  devices_concern_it_ = nodes.devices().concerns(*class_);
  room.start_search();
  best_node_ = nullptr;
  looked_at_fitting_ = short_.empty();
  some_has_room_.reset();
}

bool victim_search::some_kept_node_would_do(const reservation *but) {
  start_search();
  for (uint32_t i = 0; i < reservations.extent(); ++i) {
    const reservation &r = reservations[i];
    const bool kept = r.live && &r != but && r.way != way_to_room::it_empties && may_make_room(*r.where);
    if (kept && !is_left_out(r.where->slot) && look_at(r.where->slot) && take_for_node()) return true;
    if (hopeless_) return false;
  }
  return false;
}

bool victim_search::would_do_but_for_reservations(const ask &a, const ask_class &c, const reservation *own) {
  if (reservations.live() == (own != nullptr ? 1U : 0U)) return false;
  start_for(a, c);
  takes_overcommitted_ = false;
  if (look_for_guarantee() && some_kept_node_would_do(own)) return true;
  return look_within() && some_kept_node_would_do(own);
}

bool victim_search::some_node_has_room() {
  const auto has_room_now = [&](uint32_t slot) { return nodes.usable(slot) && has_room(*nodes.at(slot), {}, nullptr); };
  for (uint32_t b = 0; !some_has_room_ && b < nodes.blocks(); ++b) {
    if (!some_end_in(b) && !class_->fits(room.of_block(b).free)) continue;
    const auto slots = nodes.block(b);
    if (std::any_of(slots.begin(), slots.end(), has_room_now)) some_has_room_ = true;
  }
  if (!some_has_room_) some_has_room_ = false;
  return *some_has_room_;
}

// The ask may have the node, and has room there once what ends and those of `gone` have ended, all `but` one.
bool victim_search::has_room(const node &n, std::span<const victim> gone, const allocation *but) const {
  const auto ending = ending_on(n);
  const auto counts = [&](const victim &v) { return v.who->where == &n && v.who != but; };
  for (size_t k = 0; k < class_->positive.size(); ++k) {
    int64_t free = nodes.free(n.slot)[class_->positive[k].type];
    for (const auto &[rank, x] : ending) free = add_saturating(free, amount(*x, k));
    for (const victim &v : gone) {
      if (counts(v)) free = add_saturating(free, amount(*v.who, k));
    }
    if (free < class_->positive[k].amount) return false;
  }
  if (!may_have(n)) return false;
  free_devices devices;
  start_devices(devices, n, ending);
  for (const victim &v : gone) {
    if (counts(v) && v.who->devices != no_record) devices.give(held_devices_of[v.who->devices].held);
  }
  return devices.fits(*class_);
}

// The ask would be placed elsewhere before that one is gone.
bool victim_search::is_one_too_many(const victim &v) {
  give_back(v, -1);
  const bool needed = queues_are_short();
  give_back(v, 1);
  if (needed) return false;
  return some_node_has_room() || std::any_of(taken_.begin(), taken_.end(), [&](const victim &other) {
           return other.who != v.who && has_room(*other.who->where, taken_, v.who);
         });
}

// More runs there than there is, of a type of the ask.
bool victim_search::is_left_out(uint32_t slot) {
  if (takes_overcommitted_) return false;
  const int64_t *free = nodes.free(slot);
  const bool is = std::any_of(class_->positive.begin(), class_->positive.end(),
                              [&](const class_amount &p) { return free[p.type] < 0; });
  left_out_overcommitted_ |= is;
  return is;
}

// Takes the node as the best one where it is. True: the search ends.
bool victim_search::may_end_with(uint32_t slot) {
  if (steps_ >= config.tuning.preemption_max_steps) return true;
  if (!nodes.usable(slot) || is_kept_for_another(*nodes.at(slot)) || !look_at(slot) || is_left_out(slot)) return false;
  if (!fits_ && !may_be_enough()) return hopeless_;
  if (!may_make_room(*node_)) return false;
  if (fits_ && std::exchange(looked_at_fitting_, true)) return false;
  const bool found = take_for_node() && !taken_.empty();
  if (!found) return hopeless_;
  put_back();
  const node_rank rank(level_of(taken_), static_cast<int64_t>(taken_.size()), share_of_taken());
  const auto too_many = [&](const victim &v) { return is_one_too_many(v); };
  if (rank >= best_rank_ || std::any_of(taken_.begin(), taken_.end(), too_many)) return false;
  best_node_ = node_;
  best_rank_ = rank;
  best_.clear();
  for (const victim &v : taken_) best_.push_back(v.who);
  return false;
}

// By id: of equals the first is the best.
node *victim_search::search(const node *only) {
  start_search();
  const uint64_t faults = fitness.faults();
  bool ends = only != nullptr && (may_end_with(only->slot), true);
  for (uint32_t b = 0; !ends && b < nodes.blocks(); ++b) {
    if (!some_end_in(b) && !may_be_had(room.of_block(b), {})) continue;
    const auto slots = nodes.block(b);
    ends = std::any_of(slots.begin(), slots.end(), [&](uint32_t slot) { return may_end_with(slot); });
  }
  return fitness.faults() == faults && !hopeless_ ? best_node_ : nullptr;
}

}  // namespace tenon::internal
