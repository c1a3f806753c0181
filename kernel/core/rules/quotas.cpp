// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/quotas.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "base/wide_sum.hpp"
#include "model/victims.hpp"
#include "queueing/change_dispatcher.hpp"
#include "rules/claims.hpp"
#include "rules/needed_victims.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {
namespace {

// What the queue has beyond its guarantee, by type.
int64_t spare_of(const queue &q, type_index t) {
  const int64_t used = staying_in(q, t);
  return std::max<int64_t>(0, sub_saturating(used, q.guaranteed[t]));
}

// What the queue, or what is below it, has beyond a max of its own: it gives that before others give.
int64_t beyond_max(const queue &q, type_index t) {
  int64_t below = 0;
  for (const auto &child : q.children) below = add_saturating(below, beyond_max(*child, t));
  const int64_t used = staying_in(q, t);
  const int64_t own = q.max.has(t) ? sub_saturating(used, q.max[t]) : 0;
  return std::min(std::max(own, below), spare_of(q, t));
}

// Chooses the allocations in and below a queue that give what is wanted beyond what `taken` give, where no queue below
// it loses what it is guaranteed.
class rest {
 public:
  rest(const queue &over, const resources &wanted, const class_table &classes, std::vector<allocation *> &taken)
      : over_(over), wanted_(wanted), classes_(classes), taken_(taken), already_(taken.begin(), taken.end()) {
    for (const allocation *x : taken_) give(*x, 1);
    left_ = missing();
  }

  [[nodiscard]] bool is_done() const { return left_.empty(); }

  void gather(queue &leaf) {
    if (!leaf.leaf || is_spared(leaf)) return;
    for (const application *app : leaf.apps) {
      for (allocation *x : app->allocations) {
        if (may_give_way(*x) && gives(*x, left_) && !already_.contains(x)) candidates_.push_back(x);
      }
    }
  }

  void choose(const resources &total) {
    std::vector<allocation *> more;
    sort_victims(candidates_);
    look_in_turn(
        taken_, candidates_, [](const allocation *) { return false; },
        [&](allocation *x) {
          if (!gives(*x, missing()) || !may(*x)) return false;
          give(*x, 1);
          more.push_back(x);
          return true;
        });
    if (more.empty()) return;
    const resources unattainable = missing();
    const auto give_one = [&](const allocation *x, int sign) { give(*x, sign); };
    const auto is_enough = [&] { return missing() == unattainable; };
    const auto share = [&](const allocation *x) { return dominant_share(classes_[x->class_id].need, total); };
    keep_needed(
        more, std::span<allocation *const>(candidates_), give_one, [&](const allocation *x) { return may(*x); },
        is_enough, share);
    taken_.insert(taken_.end(), more.begin(), more.end());
    put_needless_back(taken_, give_one, is_enough, share);
  }

 private:
  [[nodiscard]] bool gives(const allocation &x, const resources &wanted) const {
    bool some = false;
    for_each_type(wanted, [&](type_index t, int64_t) { some |= classes_[x.class_id].need[t] > 0; });
    return some;
  }
  [[nodiscard]] resources missing() const {
    resources out;
    for_each_type(wanted_, [&](type_index t, int64_t amount) {
      if (const int64_t left = sub_saturating(amount, given_[t]); left > 0) out.set(t, left);
    });
    return out;
  }
  [[nodiscard]] bool may(const allocation &x) const {
    const resources &need = classes_[x.class_id].need;
    bool yes = true;
    for (const queue *q = x.owner->home; q != &over_; q = q->parent) {
      const auto gone = given_by_.find(q);
      for_each_type(left_, [&](type_index t, int64_t) {
        if (need[t] <= 0 || !q->guaranteed.has(t)) return;
        const int64_t used = staying_in(*q, t);
        const int64_t left = sub_saturating(used, gone == given_by_.end() ? 0 : gone->second[t]);
        yes &= sub_saturating(left, need[t]) >= q->guaranteed[t];
      });
    }
    return yes;
  }
  void give(const allocation &x, int sign) {
    for_each_type(classes_[x.class_id].need, [&](type_index t, int64_t amount) {
      given_.add(t, sign * amount);
      for (const queue *q = x.owner->home; q != &over_; q = q->parent) given_by_[q].add(t, sign * amount);
    });
  }

  const queue &over_;
  const resources &wanted_;
  const class_table &classes_;
  std::vector<allocation *> &taken_;
  const std::set<const allocation *> already_;  // any order: looked up, never walked
  resources left_;                              // of what is wanted
  std::vector<allocation *> candidates_;        // the first that gives way first
  resources given_;
  std::map<const queue *, resources> given_by_;  // any order: looked up, never walked
};

}  // namespace

// -- Timers. --

bool quotas::is_over(const queue &q) const {
  if (!config.quota_preemption_enabled || q.parent == nullptr || q.quota_delay_ms == 0) return false;
  bool over = false;
  for_each_type(q.max, [&](type_index t, int64_t amount) { over |= q.allocated[t] > amount; });
  return over;
}

void quotas::look_at(queue &q) {
  if (!is_over(q) || (q.quota.epoch != 0 && q.quota.delay_ms == q.quota_delay_ms)) return;
  if (q.quota.epoch == 0) {
    q.quota.armed_ms = clock.now_ms();
    over_.push_back(&q);
  }
  q.quota.delay_ms = q.quota_delay_ms;
  q.quota.epoch = clock.next_epoch();
  const int64_t due_ms = add_saturating(q.quota.armed_ms, q.quota.delay_ms);
  clock.arm(std::max(clock.now_ms(), due_ms), timer_kind::quota, 0, q.quota.epoch);
}

void quotas::follow(queue &q, const quota_timer &other) {
  if (q.quota.epoch == 0) over_.push_back(&q);
  q.quota = {clock.next_epoch(), other.armed_ms, other.delay_ms};
  const int64_t due_ms = add_saturating(other.armed_ms, other.delay_ms);
  clock.arm(std::max(clock.now_ms(), due_ms), timer_kind::quota, 0, q.quota.epoch);
}

void quotas::look_at_tree(queue &q) {
  for (const auto &child : q.children) look_at_tree(*child);
  look_at(q);
}

void quotas::look_at_path(queue &q) {
  if (!config.quota_preemption_enabled) return;
  look_at(q);
  if (q.parent != nullptr) look_at_path(*q.parent);
}

void quotas::drop_timers() {
  std::erase_if(over_, [&](queue *q) {
    if (is_over(*q)) return false;
    q->quota.epoch = 0;
    return true;
  });
}

bool quotas::runs(uint64_t epoch) const {
  return std::any_of(over_.begin(), over_.end(), [&](const queue *q) { return q->quota.epoch == epoch; });
}

void quotas::forget_gone_queues() {
  std::erase_if(over_, [](const queue *q) { return q->gone; });
}

void quotas::is_due(uint64_t epoch) {
  const auto found = std::find_if(over_.begin(), over_.end(), [&](const queue *q) { return q->quota.epoch == epoch; });
  if (found == over_.end()) return;
  queue &q = **found;
  over_.erase(found);
  q.quota.epoch = 0;
  resources wanted;
  for_each_type(q.max, [&](type_index t, int64_t amount) {
    const int64_t over = sub_saturating(staying_in(q, t), amount);
    if (const int64_t most = std::min(over, spare_of(q, t)); most > 0) wanted.set(t, most);
  });
  const reason why{cause::preempted_for_quota, q.path};
  std::vector<allocation *> victims;
  give_back(q, wanted, victims);
  if (rest more(q, wanted, classes, victims); !more.is_done()) {
    for_each_queue(q, [&](queue &below) { more.gather(below); });
    const queue *root = &q;
    while (root->parent != nullptr) root = root->parent;
    more.choose(root->fair_max);
  }
  claims.take(victims, why, nullptr, &q);
  look_at(q);
  // If it does not stay above its max, all that is too much is on its way out already.
  if (!victims.empty() || stays_above_max(q)) changes.apply(quota_enforced{q, victims.size()});
}

// -- What is given back. --

// `wanted` has amounts above 0 only. A parent hands it down: first what each child has beyond a max, then in proportion
// to what each can spare still.
void quotas::give_back(queue &q, const resources &wanted, std::vector<allocation *> &victims) {
  if (wanted.empty()) return;
  if (q.leaf) return give_back_in_leaf(q, wanted, victims);
  std::vector<resources> parts(q.children.size());
  for_each_type(wanted, [&](type_index t, int64_t amount) {
    std::vector<int64_t> first, spare;
    int64_t sum = 0;
    for (const auto &child : q.children) {
      first.push_back(std::min(amount, beyond_max(*child, t)));
      amount -= first.back();
      spare.push_back(spare_of(*child, t) - first.back());
      sum = add_saturating(sum, spare.back());
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      const int64_t more = sum > 0 ? static_cast<int64_t>(wide_sum{amount} * spare[i] / sum) : 0;
      if (const int64_t part = first[i] + std::min(more, spare[i]); part > 0) parts[i].set(t, part);
    }
  });
  for (size_t i = 0; i < parts.size(); ++i) give_back(*q.children[i], parts[i], victims);
}

void quotas::give_back_in_leaf(const queue &leaf, resources wanted, std::vector<allocation *> &victims) {
  if (is_spared(leaf)) return;
  const uint64_t types_wanted = wanted.present();
  std::vector<allocation *> candidates;
  for (const application *app : leaf.apps) {
    for (allocation *x : app->allocations) {
      const bool may = x->state == allocation_state::allocated && x->preempt_self && !x->bound;
      if (may && (classes[x->class_id].need.present() & types_wanted) != 0) candidates.push_back(x);
    }
  }
  sort_victims(candidates);
  look_in_turn(
      victims, candidates, [](const allocation *) { return false; },
      [&](allocation *x) {
        const resources &need = classes[x->class_id].need;
        bool some = false, too_much = false;
        for_each_type(wanted, [&](type_index t, int64_t left) {
          some |= need[t] > 0;
          too_much |= need[t] > left;
        });
        if (!some || too_much) return false;
        for_each_type(wanted, [&](type_index t, int64_t left) { wanted.set(t, left - need[t]); });
        victims.push_back(x);
        return true;
      });
}

}  // namespace tenon::internal
