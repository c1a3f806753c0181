// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/quotas.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "base/wide_sum.hpp"
#include "model/victims.hpp"
#include "ready/change_dispatcher.hpp"
#include "rules/claims.hpp"
#include "rules/needed_victims.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {
namespace {

// What the queue has beyond its guarantee, by type.
int64_t spare_of(const queue &q, type_index t) {
  const int64_t used = sub_saturating(q.allocated[t], q.preempting[t]);
  return std::max<int64_t>(0, sub_saturating(used, q.guaranteed[t]));
}

// Chooses the allocations in and below a queue that give what is still wanted, where no queue below it loses what it is
// guaranteed.
class rest {
 public:
  rest(const queue &over, const resources &wanted, const class_table &classes)
      : over_(over), wanted_(wanted), classes_(classes) {}

  void gather(queue &leaf) {
    if (!leaf.leaf || is_spared(leaf)) return;
    for (const application *app : leaf.apps) {
      for (allocation *x : app->allocations) {
        if (may_give_way(*x) && gives(*x, wanted_)) candidates_.push_back(x);
      }
    }
  }

  std::vector<allocation *> choose(const resources &total) {
    std::sort(candidates_.begin(), candidates_.end(),
              [](const auto *x, const auto *y) { return gives_way_before(*x, *y); });
    std::vector<allocation *> out;
    for (allocation *x : candidates_) {
      if (!gives(*x, missing()) || !may(*x)) continue;
      give(*x, 1);
      out.push_back(x);
    }
    if (out.empty()) return out;
    const resources unattainable = missing();
    keep_needed(
        out, std::span<allocation *const>(candidates_), [&](const allocation *x, int sign) { give(*x, sign); },
        [&](const allocation *x) { return may(*x); }, [&] { return missing() == unattainable; },
        [&](const allocation *x) { return dominant_share(classes_[x->class_id].need, total); });
    return out;
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
      for_each_type(wanted_, [&](type_index t, int64_t) {
        if (need[t] <= 0 || !q->guaranteed.has(t)) return;
        const int64_t used = sub_saturating(q->allocated[t], q->preempting[t]);
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
  std::vector<allocation *> candidates_;  // the first that gives way first
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

void quotas::look_at_path(queue &q) {
  if (!config.quota_preemption_enabled) return;
  if (q.parent != nullptr) look_at_path(*q.parent);
  look_at(q);
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
    const int64_t over = sub_saturating(sub_saturating(q.allocated[t], q.preempting[t]), amount);
    if (const int64_t most = std::min(over, spare_of(q, t)); most > 0) wanted.set(t, most);
  });
  const reason why{cause::preempted_for_quota, q.path};
  const resources preempting = q.preempting;
  size_t victims = give_back(q, wanted, why, q);
  resources left;
  for_each_type(wanted, [&](type_index t, int64_t amount) {
    const int64_t missing = sub_saturating(amount, sub_saturating(q.preempting[t], preempting[t]));
    if (missing > 0) left.set(t, missing);
  });
  if (!left.empty()) {
    rest more(q, left, classes);
    for_each_queue(q, [&](queue &below) { more.gather(below); });
    const queue *root = &q;
    while (root->parent != nullptr) root = root->parent;
    const std::vector<allocation *> taken = more.choose(root->fair_max);
    claims.take(taken, why, nullptr, &q);
    victims += taken.size();
  }
  look_at(q);
  // If it does not stay above its max, all that is too much is on its way out already.
  if (victims > 0 || stays_above_max(q)) changes.apply(quota_enforced{q, victims});
}

// -- What is given back. --

// `wanted` has amounts above 0 only. A parent hands it down in proportion to what each child can spare.
size_t quotas::give_back(queue &q, const resources &wanted, const reason &why, const queue &over) {
  if (wanted.empty()) return 0;
  if (q.leaf) return give_back_in_leaf(q, wanted, why, over);
  size_t victims = 0;
  resources sum;
  for (const auto &child : q.children) {
    for_each_type(wanted, [&](type_index t, int64_t) { sum.add(t, spare_of(*child, t)); });
  }
  for (const auto &child : q.children) {
    resources part;
    for_each_type(wanted, [&](type_index t, int64_t amount) {
      if (sum[t] <= 0) return;
      const int64_t spare = spare_of(*child, t);
      const int64_t share = std::min(static_cast<int64_t>(wide_sum{amount} * spare / sum[t]), spare);
      if (share > 0) part.set(t, share);
    });
    victims += give_back(*child, part, why, over);
  }
  return victims;
}

size_t quotas::give_back_in_leaf(const queue &leaf, resources wanted, const reason &why, const queue &over) {
  if (is_spared(leaf)) return 0;
  const uint64_t types_wanted = wanted.present();
  std::vector<allocation *> candidates, victims;
  for (const application *app : leaf.apps) {
    for (allocation *x : app->allocations) {
      const bool may = x->state == allocation_state::allocated && x->preempt_self && !x->bound;
      if (may && (classes[x->class_id].need.present() & types_wanted) != 0) candidates.push_back(x);
    }
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const auto *x, const auto *y) { return gives_way_before(*x, *y); });
  for (allocation *x : candidates) {
    const resources &need = classes[x->class_id].need;
    bool some = false, too_much = false;
    for_each_type(wanted, [&](type_index t, int64_t left) {
      some |= need[t] > 0;
      too_much |= need[t] > left;
    });
    if (!some || too_much) continue;
    for_each_type(wanted, [&](type_index t, int64_t left) { wanted.set(t, left - need[t]); });
    victims.push_back(x);
  }
  claims.take(victims, why, nullptr, &over);
  return victims.size();
}

}  // namespace tenon::internal
