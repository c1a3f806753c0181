// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "preemption.hpp"

#include <algorithm>

#include "partition.hpp"
#include "victims.hpp"

namespace tenon::internal {
namespace {

constexpr uint32_t unknown = ~uint32_t{0};

// What the search of that number knows of the queue.
search_mark &mark_of(queue &q, uint64_t search) {
  if (q.mark.search != search) q.mark = {search, unknown, unknown, unknown};
  return q.mark;
}

int64_t seen_above(int64_t priority, const queue &q) {
  return q.priority_rule == priority_policy::fence ? q.priority_offset : priority + q.priority_offset;
}

}  // namespace

node *preemption::find(const ask &a, const ask_class &c, const node *only) {
  ask_ = &a;
  class_ = &c;
  within_ = false;
  look_at_path();
  look_at_claims();
  if (find_fence() && is_guaranteed() && find_shortages()) {
    if (node *n = search(only); n != nullptr) return n;
  }
  if (!levels_.front().where->intra) return nullptr;
  within_ = true;
  look_at_path();
  (void)find_shortages();
  return search(only);
}

int64_t preemption::amount(const allocation &x, size_t type) const {
  return p_.classes[x.class_id].need[class_->positive[type].type];
}

// -- The path of the ask's leaf. --

void preemption::look_at_path() {
  ++search_;
  levels_.clear();
  leaves_.clear();
  shields_.clear();
  int64_t priority = ask_->priority;
  for (queue *q = ask_->owner->home; q != nullptr; q = q->parent) {
    mark_of(*q, search_).level = static_cast<uint32_t>(levels_.size());
    levels_.push_back({q, priority});
    priority = seen_above(priority, *q);
  }
}

void preemption::look_at_claims() {
  claims_.clear();
  for (const ask *a : p_.claimants) {
    if (partition::reservation_of(*a) != nullptr) claims_.emplace_back(a->owner->home, &p_.classes[a->class_id]);
  }
}

int64_t preemption::used(const queue &q, type_index t) const {
  int64_t out = sub_saturating(q.allocated[t], q.preempting[t]);
  for (const auto &[home, shape] : claims_) {
    const queue *at = home;
    while (at != nullptr && at != &q) at = at->parent;
    if (at != nullptr) out = add_saturating(out, shape->need[t]);
  }
  return out;
}

int64_t preemption::missing_of_max(const queue &q, const class_amount &p) const {
  const resources &max = q.parent == nullptr ? p_.total : q.max;
  if (q.parent != nullptr && !max.has(p.type)) return 0;
  return sub_saturating(add_saturating(q.allocated[p.type], p.amount), max[p.type]);
}

// False: it is the leaf itself, so that there is nobody to take from.
bool preemption::find_fence() {
  for (fence_ = 0; fence_ + 1 < levels_.size(); ++fence_) {
    const queue &q = *levels_[fence_].where;
    const bool exceeded = std::any_of(class_->positive.begin(), class_->positive.end(),
                                      [&](const class_amount &p) { return missing_of_max(q, p) > 0; });
    if (q.fence || exceeded) break;
  }
  return fence_ != 0;
}

bool preemption::is_guaranteed() const { return p_.is_guaranteed(*levels_.front().where, *class_); }

// False: there is one that no victim could make up for.
bool preemption::find_shortages() {
  short_.clear();
  const bool own = !levels_.front().where->guaranteed.empty();
  for (size_t i = 0; i < levels_.size(); ++i) {
    const queue &q = *levels_[i].where;
    for (size_t k = 0; k < class_->positive.size(); ++k) {
      const class_amount &p = class_->positive[k];
      if (const int64_t missing = missing_of_max(q, p); missing > 0) short_.push_back({i, k, missing, false});
      if (within_ || own != (i == 0) || !q.guaranteed.has(p.type)) continue;
      const int64_t left = sub_saturating(q.guaranteed[p.type], used(q, p.type));
      if (p.amount <= left) continue;
      if (i == 0) return false;
      short_.push_back({i, k, sub_saturating(p.amount, left), true});
    }
  }
  return true;
}

// -- Leaves with victims. --

uint32_t preemption::leaf_of(queue &q) {
  search_mark &mark = mark_of(q, search_);
  if (mark.leaf != unknown) return mark.leaf;
  mark.leaf = static_cast<uint32_t>(leaves_.size());
  leaf &l = leaves_.emplace_back();
  if (within_) {
    l.open = mark.level == 0;
    return mark.leaf;
  }
  queue *at = &q;
  for (; mark_of(*at, search_).level == unknown; at = at->parent) {
    if (at->priority_rule == priority_policy::fence) {
      l.fenced = true;
      l.offset = 0;
    }
    l.offset += at->priority_offset;
  }
  l.common = at->mark.level;
  l.open = at != &q && l.common <= fence_ && !p_.spares(q);
  if (!l.open) return mark.leaf;
  find_shields(l, q);
  // Covered by its guarantees already, it is so the more when something was taken.
  const auto breached = [&](uint32_t s) {
    return std::any_of(shields_[s].over.begin(), shields_[s].over.end(), [](int64_t over) { return over > 0; });
  };
  l.open = l.unprotected || std::any_of(l.shields.begin(), l.shields.end(), breached);
  return mark.leaf;
}

void preemption::find_shields(leaf &l, queue &of) {
  const bool own = !levels_.front().where->guaranteed.empty();
  for (queue *q = &of; q != nullptr; q = q->parent) {
    search_mark &mark = mark_of(*q, search_);
    if (q->guaranteed.empty() || (own && mark.level != unknown)) continue;
    if (mark.shield == unknown) {
      mark.shield = static_cast<uint32_t>(shields_.size());
      shield &s = shields_.emplace_back();
      for (const class_amount &p : class_->positive) {
        s.over.push_back(q->guaranteed.has(p.type) ? sub_saturating(used(*q, p.type), q->guaranteed[p.type]) : 0);
      }
      s.given.assign(s.over.size(), 0);
    }
    l.shields.push_back(mark.shield);
    l.unprotected = false;
  }
}

bool preemption::is_candidate(const allocation &x, const leaf &l) const {
  if (!l.open || x.state != allocation_state::allocated || !x.preempt_self || x.bound) return false;
  if (within_ ? x.priority >= ask_->priority
              : (l.fenced ? l.offset : x.priority + l.offset) > levels_[l.common].ask_priority) {
    return false;
  }
  for (size_t k = 0; k < class_->positive.size(); ++k) {
    if (amount(x, k) > 0) return true;
  }
  return false;
}

bool preemption::may_be_taken(const leaf &l) const {
  return l.unprotected || std::any_of(l.shields.begin(), l.shields.end(), [&](uint32_t i) {
           const shield &s = shields_[i];
           for (size_t k = 0; k < s.over.size(); ++k) {
             if (s.over[k] > s.given[k]) return true;
           }
           return false;
         });
}

// -- What is taken, and what is short still. --

void preemption::give_back(const victim &v, int sign) {
  const leaf &l = leaves_[v.from];
  const size_t types = class_->positive.size();
  for (size_t k = 0; k < types; ++k) {
    const int64_t some = sign * amount(*v.who, k);
    for (size_t i = l.common; i < levels_.size(); ++i) given_[i * types + k] += some;
    for (const uint32_t s : l.shields) shields_[s].given[k] += some;
    if (v.who->where == node_) missing_on_node_[k] -= some;
  }
  if (v.who->where != node_ || devices_.empty() || v.who->devices == no_record) return;
  const held_list &held = p_.held_devices_of[v.who->devices].held;
  sign > 0 ? devices_.give(held) : devices_.take(held);
}

void preemption::take(const victim &v) {
  give_back(v, 1);
  taken_.push_back(v);
}

bool preemption::is_short(const shortage &s) const {
  return given_[s.level * class_->positive.size() + s.type] < s.missing;
}

bool preemption::queues_are_short(bool of_guarantee_too) const {
  return std::any_of(short_.begin(), short_.end(),
                     [&](const shortage &s) { return (of_guarantee_too || !s.of_guarantee) && is_short(s); });
}

bool preemption::node_is_short() const {
  return !devices_.fits(*class_) ||
         std::any_of(missing_on_node_.begin(), missing_on_node_.end(), [](int64_t missing) { return missing > 0; });
}

bool preemption::node_is_short_of(size_t type) const {
  return missing_on_node_[type] > 0 || devices_.lacks(*class_, class_->positive[type].type);
}

bool preemption::relieves_queues(const victim &v) const {
  return std::any_of(short_.begin(), short_.end(), [&](const shortage &s) {
    return s.level >= leaves_[v.from].common && is_short(s) && amount(*v.who, s.type) > 0;
  });
}

bool preemption::relieves_node(const victim &v) const {
  for (size_t k = 0; k < missing_on_node_.size(); ++k) {
    if (node_is_short_of(k) && amount(*v.who, k) > 0) return true;
  }
  return false;
}

// -- Candidates. --

bool preemption::later(const victim &a, const victim &b) { return gives_way_before(*b.who, *a.who); }

// All that could relieve a queue, wherever they run.
void preemption::gather(queue &below) {
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
bool preemption::all_would_do() const {
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
const preemption::victim *preemption::elsewhere(size_t at) {
  if (!gathered_) {
    gathered_ = true;
    gather(*levels_[within_ ? 0 : fence_].where);
    if (!all_would_do()) {
      heap_.clear();
      hopeless_ = true;
    }
    std::make_heap(heap_.begin(), heap_.end(), later);
  }
  if (at < sorted_.size()) return &sorted_[at];
  if (heap_.empty()) return nullptr;
  std::pop_heap(heap_.begin(), heap_.end(), later);
  sorted_.push_back(heap_.back());
  heap_.pop_back();
  return &sorted_.back();
}

// `most`: more of them than so many are of no use.
bool preemption::take_on_node(size_t most) {
  on_node_.clear();
  for (allocation *x : node_->allocations) {
    const uint32_t from = leaf_of(*x->owner->home);
    if (const victim v{x, from}; is_candidate(*x, leaves_[from]) && relieves_node(v)) on_node_.push_back(v);
  }
  for (size_t k = 0; k < missing_on_node_.size(); ++k) {
    int64_t sum = 0, largest = 0;
    for (const victim &v : on_node_) {
      sum = add_saturating(sum, amount(*v.who, k));
      largest = std::max(largest, amount(*v.who, k));
    }
    const bool too_many = on_node_.size() > most && wide_sum{largest} * most < missing_on_node_[k];
    if (sum < missing_on_node_[k] || too_many) return false;
  }
  std::sort(on_node_.begin(), on_node_.end(), [](const victim &a, const victim &b) { return later(b, a); });
  for (const victim &v : on_node_) {
    if (!node_is_short()) return true;
    if (may_be_taken(leaves_[v.from]) && relieves_node(v)) take(v);
  }
  return !node_is_short();
}

// The victims for one node; false: it cannot be had, or not with at most so many on the node itself.
bool preemption::take_for(const node &n, size_t most) {
  const size_t types = class_->positive.size();
  node_ = &n;
  taken_.clear();
  given_.assign(levels_.size() * types, 0);
  for (shield &s : shields_) std::fill(s.given.begin(), s.given.end(), 0);
  missing_on_node_.resize(types);
  devices_.start(p_.nodes.devices().of(n.slot), class_->types);
  const int64_t *free = p_.nodes.free(n.slot);
  for (size_t k = 0; k < types; ++k) {
    missing_on_node_[k] = sub_saturating(class_->positive[k].amount, free[class_->positive[k].type]);
  }
  if (node_is_short() && !take_on_node(most)) return false;
  for (size_t i = 0; queues_are_short(true); ++i) {
    const victim *v = elsewhere(i);
    if (v == nullptr) return false;
    const bool taken = std::any_of(taken_.begin(), taken_.end(), [&](const victim &t) { return t.who == v->who; });
    if (!taken && may_be_taken(leaves_[v->from]) && relieves_queues(*v)) take(*v);
  }
  return put_back();
}

// Those that are not needed. A node for which one is needed for the guarantee alone is none: the ask could be
// placed without.
bool preemption::put_back() {
  std::sort(taken_.begin(), taken_.end(), [](const victim &a, const victim &b) { return later(b, a); });
  for (size_t i = taken_.size(); i-- > 0;) {
    give_back(taken_[i], -1);
    if (node_is_short() || queues_are_short(true)) {
      give_back(taken_[i], 1);
    } else {
      taken_.erase(taken_.begin() + static_cast<ptrdiff_t>(i));
    }
  }
  for (const victim &v : taken_) {
    give_back(v, -1);
    const bool needed = node_is_short() || queues_are_short(false);
    give_back(v, 1);
    if (!needed) return false;
  }
  return !taken_.empty();
}

// -- Nodes. --

bool preemption::may_have(const node &n) const {
  if (!n.schedulable || !p_.holds(n, *class_)) return false;
  for (const reservation *r : n.reservations) {
    if (r->of != ask_) return false;
  }
  return p_.passes(*class_, n.slot) && std::find(left_out_.begin(), left_out_.end(), &n) == left_out_.end();
}

// By id: of equals the first is the best.
node *preemption::search(const node *only) {
  heap_.clear();
  sorted_.clear();
  best_.clear();
  gathered_ = hopeless_ = false;
  const auto may_be_chosen = [&](const node &n) {
    const auto others = [&](const reservation *r) { return r->of != ask_; };
    return n.schedulable && p_.holds(n, *class_) && p_.passes(*class_, n.slot) &&
           std::none_of(n.reservations.begin(), n.reservations.end(), others);
  };
  bool looked_for_room = false, room = false;
  const auto some_node_has_room = [&] {
    if (std::exchange(looked_for_room, true)) return room;
    room = std::any_of(p_.nodes.by_id().begin(), p_.nodes.by_id().end(), [&](const auto &item) {
      return p_.nodes.holds(*class_, item.second->slot) && may_be_chosen(*item.second);
    });
    return room;
  };
  const auto has_room_without = [&](const node &n, const victim &without) {
    for (size_t k = 0; k < class_->positive.size(); ++k) {
      int64_t free = p_.nodes.free(n.slot)[class_->positive[k].type];
      for (const victim &v : taken_) {
        if (v.who->where == &n && v.who != without.who) free = add_saturating(free, amount(*v.who, k));
      }
      if (free < class_->positive[k].amount) return false;
    }
    device_room devices;
    devices.start(p_.nodes.devices().of(n.slot), class_->types);
    for (const victim &v : taken_) {
      const bool gone = v.who->where == &n && v.who != without.who && v.who->devices != no_record;
      if (gone) devices.give(p_.held_devices_of[v.who->devices].held);
    }
    return devices.fits(*class_) && may_be_chosen(n);
  };
  // The ask would be placed elsewhere before that one is gone.
  const auto is_one_too_many = [&](const victim &v) {
    give_back(v, -1);
    const bool needed = queues_are_short(false);
    give_back(v, 1);
    if (needed) return false;
    return some_node_has_room() || std::any_of(taken_.begin(), taken_.end(), [&](const victim &other) {
             return other.who != v.who && has_room_without(*other.who->where, v);
           });
  };
  node *best = nullptr;
  bool best_with_originator = false, looked_at_fitting = short_.empty();
  for (const auto &[id, n] : p_.nodes.by_id()) {
    if ((only != nullptr && n != only) || !may_have(*n)) continue;
    // All nodes that fit need the same victims.
    const bool fits = p_.nodes.holds(*class_, n->slot);
    if (fits && std::exchange(looked_at_fitting, true)) continue;
    // One that is no better than the best need not be found.
    const size_t most = best == nullptr || best_with_originator ? SIZE_MAX : best_.size() - 1;
    const bool found = take_for(*n, most);
    if (hopeless_) return nullptr;
    if (!found) continue;
    const bool with_originator =
        std::any_of(taken_.begin(), taken_.end(), [](const victim &v) { return v.who->originator; });
    const bool better = best == nullptr || (best_with_originator && !with_originator) ||
                        (best_with_originator == with_originator && taken_.size() < best_.size());
    if (!better || std::any_of(taken_.begin(), taken_.end(), is_one_too_many)) continue;
    best = n;
    best_with_originator = with_originator;
    best_.clear();
    for (const victim &v : taken_) best_.push_back(v.who);
    if (!with_originator && best_.size() == 1) break;
  }
  return best;
}

}  // namespace tenon::internal
