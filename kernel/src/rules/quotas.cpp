// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/quotas.hpp"

#include <algorithm>

#include "base/wide_sum.hpp"
#include "model/victims.hpp"
#include "ready/change_dispatcher.hpp"
#include "rules/claims.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {
namespace {

// What the queue has beyond its guarantee, by type.
int64_t spare_of(const queue &q, type_index t) {
  const int64_t used = sub_saturating(q.allocated[t], q.preempting[t]);
  return std::max<int64_t>(0, sub_saturating(used, q.guaranteed[t]));
}

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
  const size_t victims = give_back(q, wanted, {cause::preempted_for_quota, q.path}, q);
  look_at(q);
  // Where nothing is wanted, all that is too much is on its way out already.
  if (!wanted.empty()) changes.apply(quota_enforced{q, victims});
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
