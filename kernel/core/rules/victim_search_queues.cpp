// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the search for victims asks of queues: the path of the ask's leaf, where it has a claim, and which leaves have
// victims.
#include <algorithm>
#include <functional>
#include <span>

#include "model/victims.hpp"
#include "rules/headroom.hpp"
#include "rules/victim_search.hpp"

namespace tenon::internal {
namespace {

int64_t seen_above(int64_t priority, const queue &q) {
  return q.priority_rule == priority_policy::fence ? q.priority_offset : priority + q.priority_offset;
}

}  // namespace

search_mark &victim_search::mark_of(queue &q) const {
  if (q.mark.search != search_) q.mark = {search_, unknown, unknown, unknown};
  return q.mark;
}

// -- The path of the ask's leaf. --

void victim_search::look_at_path() {
  ++search_;
  levels_.clear();
  leaves_.clear();
  shields_.clear();
  int64_t priority = ask_->priority;
  for (queue *q = ask_->owner->home; q != nullptr; q = q->parent) {
    mark_of(*q).level = static_cast<uint32_t>(levels_.size());
    levels_.push_back({q, priority});
    priority = seen_above(priority, *q);
  }
}

int64_t victim_search::claimed_by_others(const queue &q, type_index t) const {
  const auto is_here = [&](const awaited_part &p) { return p.in == &q; };
  const std::span<const awaited_part> own =
      ask_->wait == nullptr ? std::span<const awaited_part>() : ask_->wait->awaited;
  const auto here = std::find_if(own.begin(), own.end(), is_here);
  const int64_t claimed = here == own.end() ? q.claimed[t] : sub_saturating(q.claimed[t], here->claimed[t]);
  return counted_.empty() ? claimed : add_saturating(claimed, counted_in(q, t));
}

void victim_search::count_as_placed(const ask &a, const ask_class &c) { count_in_queues(*a.owner->home, c.need, 1); }

void victim_search::count_as_gone(const std::vector<allocation *> &victims) {
  for (const allocation *x : victims) {
    gone_.insert(x);
    count_in_queues(*x->owner->home, classes[x->class_id].need, -1);
  }
}

void victim_search::count_in_queues(const queue &home, const resources &amounts, int64_t sign) {
  for (const queue *q = &home; q->parent != nullptr; q = q->parent) {
    std::vector<int64_t> &sums = counted_[q];
    for_each_type(amounts, [&](type_index t, int64_t amount) {
      if (sums.size() <= t) sums.resize(t + 1);
      sums[t] = add_saturating(sums[t], sign * amount);
    });
  }
}

int64_t victim_search::counted_in(const queue &q, type_index t) const {
  const auto found = counted_.find(&q);
  return found == counted_.end() || found->second.size() <= t ? 0 : found->second[t];
}

bool victim_search::is_within_headroom(const ask &a, const ask_class &c) const {
  for (const queue *q = a.owner->home; q->parent != nullptr; q = q->parent) {
    for (const class_amount &p : c.positive) {
      if (add_saturating(p.amount, counted_in(*q, p.type)) > headroom_for(*q, a, p.type)) return false;
    }
  }
  return true;
}

void victim_search::forget_counted() {
  gone_.clear();
  counted_.clear();
}

int64_t victim_search::used(const queue &q, type_index t) const {
  return add_saturating(staying_in(q, t), claimed_by_others(q, t));
}

int64_t victim_search::missing_of_max(const queue &q, const class_amount &p) const {
  if (!q.max.has(p.type)) return 0;
  int64_t used = used_by_others(q, *ask_, p.type);
  if (!counted_.empty()) used = add_saturating(used, counted_in(q, p.type));
  if (counts_ending_) used = sub_saturating(used, sub_saturating(q.allocated[p.type], staying_in(q, p.type)));
  return sub_saturating(add_saturating(used, p.amount), q.max[p.type]);
}

bool victim_search::exceeds_max(const queue &q) const {
  return std::any_of(class_->positive.begin(), class_->positive.end(),
                     [&](const class_amount &p) { return missing_of_max(q, p) > 0; });
}

bool victim_search::is_guaranteed(const queue &q) const {
  return std::any_of(class_->positive.begin(), class_->positive.end(),
                     [&](const class_amount &p) { return q.guaranteed.has(p.type); });
}

// With the ask.
bool victim_search::exceeds_guarantee(const queue &q) const {
  return std::any_of(class_->positive.begin(), class_->positive.end(), [&](const class_amount &p) {
    return q.guaranteed.has(p.type) && p.amount > sub_saturating(q.guaranteed[p.type], used(q, p.type));
  });
}

// The lowest guarantee is one of all claims.
bool victim_search::has_guarantee_left() const {
  const auto lowest =
      std::find_if(levels_.begin(), levels_.end(), [&](const level &l) { return is_guaranteed(*l.where); });
  return lowest != levels_.end() && !exceeds_guarantee(*lowest->where);
}

// The ask has a claim on what is in another queue by those queues on its path that do not hold the other one too: some
// of these has a guarantee, and none exceeds its guarantee with the ask. The guarantee of a queue that holds both
// says nothing about what is in it. `fences`: nobody beyond a fence, or a max that is full, gives way.
void victim_search::find_top(bool fences) {
  first_claim_ = levels_.size();
  for (top_ = 0; top_ + 1 < levels_.size(); ++top_) {
    const queue &q = *levels_[top_].where;
    if ((fences && (q.fence || exceeds_max(q))) || exceeds_guarantee(q)) break;
    if (is_guaranteed(q)) first_claim_ = std::min(first_claim_, top_);
  }
}

void victim_search::find_shortages() {
  short_.clear();
  for (size_t i = 0; i < levels_.size(); ++i) {
    for (size_t k = 0; k < class_->positive.size(); ++k) {
      const int64_t missing = missing_of_max(*levels_[i].where, class_->positive[k]);
      if (missing > 0) short_.push_back({i, k, missing});
    }
  }
}

// -- Leaves with victims. --

uint32_t victim_search::look_at_leaf(queue &q) {
  search_mark &mark = mark_of(q);
  mark.leaf = static_cast<uint32_t>(leaves_.size());
  leaf &l = leaves_.emplace_back();
  l.over.assign(class_->positive.size(), INT64_MAX);
  if (within_) {
    l.open = mark.level == 0;
    return mark.leaf;
  }
  queue *at = &q;
  for (; mark_of(*at).level == unknown; at = at->parent) {
    if (at->priority_rule == priority_policy::fence) {
      l.fenced = true;
      l.offset = 0;
    }
    l.offset += at->priority_offset;
  }
  l.common = at->mark.level;
  l.open = at != &q && l.common > first_claim_ && l.common <= top_ && !is_spared(q);
  if (!l.open) return mark.leaf;
  find_shields(l, q);
  // Covered by its guarantees already, it is so the more when something was taken.
  for (size_t k = 0; k < l.over.size(); ++k) {
    for (const uint32_t s : l.shields) l.over[k] = std::min(l.over[k], shields_[s].over[k]);
  }
  l.open = std::any_of(l.over.begin(), l.over.end(), [](int64_t over) { return over > 0; });
  return mark.leaf;
}

// -- Nodes on which candidates are not enough. --

template <class F>
void victim_search::for_each_open_leaf(queue &below, F &&f) {
  for (const auto &child : below.children) for_each_open_leaf(*child, f);
  if (!below.leaf) return;
  const uint32_t at = leaf_of(below);
  if (leaves_[at].open) f(below, leaves_[at]);
}

void victim_search::count_open() {
  open_types_.assign(class_->positive.size(), false);
  for_each_open_leaf(*levels_[within_ ? 0 : top_].where, [&](const queue &q, const leaf &l) {
    for (const application *app : q.apps) open_ += app->allocations.size();
    for (size_t k = 0; k < l.over.size(); ++k) {
      if (l.over[k] > 0) open_types_[k] = true;
    }
  });
}

void victim_search::count_candidates() {
  const size_t types = class_->positive.size();
  candidates_.assign(nodes.slots() * types, 0);
  for_each_open_leaf(*levels_[within_ ? 0 : top_].where, [&](const queue &q, const leaf &l) {
    for (const application *app : q.apps) {
      for (const allocation *x : app->allocations) {
        if (!is_candidate(*x, l)) continue;
        int64_t *sums = candidates_.data() + x->where->slot * types;
        for (size_t k = 0; k < types; ++k) {
          if (const int64_t some = amount(*x, k); some <= l.over[k]) sums[k] = add_saturating(sums[k], some);
        }
      }
    }
  });
}

// False: whoever gives way on the node is not enough. Once as many allocations were looked at in vain as there are in
// open leaves, those are counted for all nodes: where queues are protected, that is much less than what runs on nodes.
bool victim_search::may_be_enough() {
  if (looked_at_ < few_allocations) return true;
  if (open_types_.empty()) {
    count_open();
    hopeless_ = std::find(open_types_.begin(), open_types_.end(), true) == open_types_.end();
  }
  for (size_t k = 0; k < missing_on_node_.size(); ++k) {
    if (missing_on_node_[k] > 0 && nobody_gives(k)) return false;
  }
  if (looked_at_ < open_) return true;
  if (candidates_.empty()) count_candidates();
  const int64_t *there = candidates_.data() + node_->slot * missing_on_node_.size();
  return std::equal(missing_on_node_.begin(), missing_on_node_.end(), there, std::less_equal<>());
}

void victim_search::find_shields(leaf &l, queue &of) {
  for (queue *q = &of; mark_of(*q).level == unknown; q = q->parent) {
    search_mark &mark = mark_of(*q);
    if (q->guaranteed.empty()) continue;
    if (mark.shield == unknown) {
      mark.shield = static_cast<uint32_t>(shields_.size());
      shield &s = shields_.emplace_back();
      for (const class_amount &p : class_->positive) {
        s.over.push_back(q->guaranteed.has(p.type) ? sub_saturating(used(*q, p.type), q->guaranteed[p.type])
                                                   : INT64_MAX);
      }
      s.given.assign(s.over.size(), 0);
    }
    l.shields.push_back(mark.shield);
  }
}

}  // namespace tenon::internal
