// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/victim_search.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <utility>

#include "ledger/victim_room.hpp"
#include "model/victims.hpp"
#include "queueing/node_fitness.hpp"
#include "rules/needed_victims.hpp"
#include "rules/placement_checks.hpp"

namespace tenon::internal {

void victim_search::outcome_changed() { room.outcome_changed(); }

node *victim_search::find(const ask &a, const ask_class &c, const node *only) {
  start_for(a, c);
  for (const bool overcommitted : {false, true}) {
    takes_overcommitted_ = overcommitted;
    left_out_overcommitted_ = false;
    if (look_for_guarantee() && has_claim()) {
      if (node *n = search(only); n != nullptr) return n;
    }
    if (look_within()) {
      if (node *n = search(only); n != nullptr) return n;
    }
    if (!left_out_overcommitted_ || would_do_but_for_reservations(a, c, reservation_of(a))) break;
  }
  return nullptr;
}

// False: no guarantee on its path says anything of the ask, or its leaf is fenced off.
bool victim_search::look_for_guarantee() {
  within_ = false;
  look_at_path();
  find_shortages();
  find_top();
  const queue &own = *levels_.front().where;
  return !own.fence && !exceeds_max(own) && has_guarantee(own, *class_);
}

// False: nobody gives way to others of his queue.
bool victim_search::look_within() {
  if (!levels_.front().where->intra) return false;
  within_ = true;
  look_at_path();
  return true;
}

bool victim_search::has_guarantee_left(const ask &a, const ask_class &c) {
  start_for(a, c);
  (void)look_for_guarantee();
  return has_guarantee_left();
}

std::string victim_search::why_nobody(const ask &a, const ask_class &c) {
  start_for(a, c);
  (void)look_for_guarantee();
  if (!has_guarantee(*levels_.front().where, c)) {
    return "nothing is guaranteed to its queue, and in the queue nobody gives way to it";
  }
  if (!has_guarantee_left()) return "its queue has used up its guarantee";
  find_top(false);
  takes_overcommitted_ = true;
  if (!has_claim() || search(nullptr) == nullptr) return "no allocations that may give way make room for it";
  const auto holds_it = [&](const level &l) { return l.where->fence || exceeds_max(*l.where); };
  const queue &fence = *std::find_if(levels_.begin(), levels_.end() - 1, holds_it)->where;
  if (fence.fence) return "the fence of queue " + fence.path + " keeps it from the allocations that could give way";
  return "the max of queue " + fence.path + " is full, and nobody below it gives way";
}

// -- What is taken, and what is short still. --

void victim_search::give_back(const victim &v, int sign) {
  const leaf &l = leaves_[v.from];
  const size_t types = class_->positive.size();
  for (size_t k = 0; k < types; ++k) {
    const int64_t some = sign * amount(*v.who, k);
    for (size_t i = l.common; i < levels_.size(); ++i) given_[i * types + k] += some;
    for (const uint32_t s : l.shields) shields_[s].given[k] += some;
    if (v.who->where == node_) missing_on_node_[k] -= some;
  }
  if (v.who->where != node_ || devices_.empty() || v.who->devices == no_record) return;
  const held_list &held = held_devices_of[v.who->devices].held;
  sign > 0 ? devices_.give(held) : devices_.take(held);
}

bool victim_search::take(const victim &v) {
  give_back(v, 1);
  taken_.push_back(v);
  return true;
}

bool victim_search::is_short(const shortage &s) const {
  return given_[s.level * class_->positive.size() + s.type] < s.missing;
}

double victim_search::share_of_taken() const {
  resources held;
  for (const victim &v : taken_) {
    for_each_type(classes[v.who->class_id].need, [&](type_index t, int64_t amount) { held.add(t, amount); });
  }
  return dominant_share(held, total);
}

bool victim_search::queues_are_short() const {
  return std::any_of(short_.begin(), short_.end(), [&](const shortage &s) { return is_short(s); });
}

bool victim_search::node_is_short() const {
  return !devices_.fits(*class_) ||
         std::any_of(missing_on_node_.begin(), missing_on_node_.end(), [](int64_t missing) { return missing > 0; });
}

bool victim_search::node_is_short_of(size_t type) const {
  return missing_on_node_[type] > 0 || devices_.lacks(*class_, class_->positive[type].type);
}

bool victim_search::relieves_queues(const victim &v) const {
  return std::any_of(short_.begin(), short_.end(), [&](const shortage &s) {
    return s.level >= leaves_[v.from].common && is_short(s) && amount(*v.who, s.type) > 0;
  });
}

bool victim_search::relieves_node(const victim &v) const {
  for (size_t k = 0; k < missing_on_node_.size(); ++k) {
    if (node_is_short_of(k) && amount(*v.who, k) > 0) return true;
  }
  return false;
}

// -- Candidates. --

bool victim_search::is_candidate(const allocation &x, const leaf &l) const {
  if (!l.open || !may_give_way(x) || (!gone_.empty() && gone_.contains(&x))) return false;
  if (within_ ? x.priority >= ask_->priority
              : (l.fenced ? l.offset : x.priority + l.offset) > levels_[l.common].ask_priority) {
    return false;
  }
  for (size_t k = 0; k < class_->positive.size(); ++k) {
    if (amount(x, k) > 0) return true;
  }
  return false;
}

// Before anything else is.
bool victim_search::may_be_first(const allocation &x, const leaf &l) const {
  for (size_t k = 0; k < l.over.size(); ++k) {
    const int64_t some = lacking_[k] ? amount(x, k) : 0;
    if (some > 0 && some > l.over[k]) return false;
  }
  return true;
}

// False: a queue would have less than it is guaranteed of a type that the ask lacks.
bool victim_search::may_be_taken(const victim &v) const {
  return std::all_of(leaves_[v.from].shields.begin(), leaves_[v.from].shields.end(), [&](uint32_t i) {
    const shield &s = shields_[i];
    for (size_t k = 0; k < s.over.size(); ++k) {
      const int64_t some = lacking_[k] && s.over[k] != INT64_MAX ? amount(*v.who, k) : 0;
      if (some > 0 && some > sub_saturating(s.over[k], s.given[k])) return false;
    }
    return true;
  });
}

bool victim_search::later(const victim &a, const victim &b) { return gives_way_before(*b.who, *a.who); }

// All that could relieve a queue, wherever they run.
void victim_search::gather(queue &below) {
  for (const auto &child : below.children) gather(*child);
  if (!below.leaf) return;
  const uint32_t from = leaf_of(below);
  const leaf &l = leaves_[from];
  if (!l.open) return;
  const auto relieves_some = [&](const allocation &x) {
    return std::any_of(short_.begin(), short_.end(),
                       [&](const shortage &s) { return s.level >= l.common && amount(x, s.type) > 0; });
  };
  for (const application *app : below.apps) {
    for (allocation *x : app->allocations) {
      if (is_candidate(*x, l) && relieves_some(*x)) heap_.push_back({x, from});
    }
  }
}

// All of them together may be too little.
bool victim_search::all_would_do() const {
  return std::all_of(short_.begin(), short_.end(), [&](const shortage &s) {
    int64_t sum = 0;
    for (const victim &v : heap_) {
      if (s.level >= leaves_[v.from].common) sum = add_saturating(sum, amount(*v.who, s.type));
      if (sum >= s.missing) return true;
    }
    return false;
  });
}

// Gathered when the first is asked for: mostly those on the node will do. Sorted as far as they are asked for.
const victim_search::victim *victim_search::elsewhere(size_t at) {
  if (!gathered_) {
    gathered_ = true;
    gather(*levels_[within_ ? 0 : top_].where);
    if (!all_would_do()) {
      heap_.clear();
      hopeless_ = true;
    }
    std::make_heap(heap_.begin(), heap_.end(), later);
  }
  while (at >= sorted_.size() && !heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    sorted_.push_back(heap_.back());
    heap_.pop_back();
  }
  return at < sorted_.size() ? &sorted_[at] : nullptr;
}

// The candidates on the node, each leaf as far as its guarantees let it give. Finds what the largest of them has.
bool victim_search::may_give_enough_there() {
  const size_t types = missing_on_node_.size();
  ++counted_nodes_;
  largest_on_node_.assign(types, 0);
  boost::container::small_vector<int64_t, 4> missing(missing_on_node_.begin(), missing_on_node_.end());
  for (const victim &v : on_node_) {
    leaf &l = leaves_[v.from];
    if (std::exchange(l.counted_for, counted_nodes_) != counted_nodes_) l.counted.assign(types, 0);
    for (size_t k = 0; k < types; ++k) {
      const int64_t some = amount(*v.who, k);
      const int64_t given = std::min(some, std::max<int64_t>(0, l.over[k]) - l.counted[k]);
      l.counted[k] += given;
      missing[k] = sub_saturating(missing[k], given);
      largest_on_node_[k] = std::max(largest_on_node_[k], some);
    }
  }
  return std::all_of(missing.begin(), missing.end(), [](int64_t some) { return some <= 0; });
}

bool victim_search::take_on_node() {
  looked_at_ += node_->allocations.size();
  victim_rank lowest = INT64_MAX;
  for (allocation *x : node_->allocations) {
    const uint32_t from = leaf_of(*x->owner->home);
    const victim v{x, from};
    if (!is_candidate(*x, leaves_[from]) || !may_be_first(*x, leaves_[from]) || !relieves_node(v)) continue;
    on_node_.push_back(v);
    lowest = std::min(lowest, victim_level(*x));
  }
  if (!may_give_enough_there() || !may_be_better(lowest)) return false;
  steps_ += on_node_.size();
  sort_victims(on_node_);
  look_in_turn(
      taken_, on_node_, [&](const victim &) { return !node_is_short(); },
      [&](const victim &v) { return may_be_taken(v) && relieves_node(v) && take(v); });
  return !node_is_short();
}

// `fits`: the ask fits the node. The candidates of the highest level are then looked at to the last one, for the one
// that is enough alone.
bool victim_search::take_for_queues(bool fits) {
  in_sorted_ = 0;
  const auto first = [&] { return elsewhere(in_sorted_); };
  const auto ends_at = [&](const victim &v) {
    if (queues_are_short()) return false;
    return !fits || taken_.empty() || lowest_victim_level(*v.who) > level_of(taken_);
  };
  look_in_turn(
      taken_, first, [&] { ++in_sorted_; }, ends_at,
      [&](const victim &v) {
        ++steps_;
        const bool is_taken =
            std::any_of(taken_.begin(), taken_.end(), [&](const victim &t) { return t.who == v.who; });
        return !is_taken && may_be_taken(v) && relieves_queues(v) && take(v);
      });
  return !queues_are_short();
}

// Finds what would have to go for the node, some of it perhaps in vain. False: the node cannot be had so, or is no
// better than the best so far.
bool victim_search::take_for_node() {
  const size_t types = class_->positive.size();
  taken_.clear();
  on_node_.clear();
  given_.assign(levels_.size() * types, 0);
  for (shield &s : shields_) std::fill(s.given.begin(), s.given.end(), 0);
  start_devices(devices_, *node_, ending_on(*node_));
  lacking_.assign(types, false);
  for (size_t k = 0; k < types; ++k) lacking_[k] = node_is_short_of(k);
  for (const shortage &s : short_) lacking_[s.type] = true;
  const bool fits = !node_is_short();
  return (fits || take_on_node()) && (short_.empty() || take_for_queues(fits));
}

// Leaves those that are needed in `taken_`, the first that gives way first.
void victim_search::put_back() {
  const std::span looked_at = on_node_.empty() ? std::span(sorted_).first(in_sorted_) : std::span(on_node_);
  keep_needed(
      taken_, std::span<const victim>(looked_at), [&](const victim &v, int sign) { give_back(v, sign); },
      [&](const victim &v) { return may_be_taken(v); }, [&] { return !node_is_short() && !queues_are_short(); },
      [&](const victim &v) { return dominant_share(classes[v.who->class_id].need, total); });
}

}  // namespace tenon::internal
