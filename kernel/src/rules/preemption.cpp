// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/preemption.hpp"

#include <algorithm>
#include <utility>

#include "change_dispatcher.hpp"
#include "core.hpp"
#include "ledger/device_holdings.hpp"
#include "model/victims.hpp"
#include "ready/ask_alarms.hpp"
#include "ready/ask_lines.hpp"
#include "ready/ready_index.hpp"
#include "rules/lifecycles.hpp"
#include "rules/node_verdicts.hpp"
#include "rules/placement_checks.hpp"
#include "rules/reservations.hpp"
#include "tenon/kernel/messages.hpp"
#include "told/decision_teller.hpp"
#include "told/fact_teller.hpp"

namespace tenon::internal {

// -- When. --

bool preemption::is_guaranteed(const queue &leaf, const ask_class &c) {
  for (const queue *q = &leaf; q != nullptr; q = q->parent) {
    const auto says = [&](const class_amount &p) { return q->guaranteed.has(p.type); };
    if (std::any_of(c.positive.begin(), c.positive.end(), says)) return true;
  }
  return false;
}

bool preemption::spares(const queue &leaf) {
  const queue *q = &leaf;
  while (!q->managed && !q->has_preemption_policy && q->parent != nullptr) q = q->parent;
  return q->spared;
}

int64_t preemption::preempts_at(const ask &a) const {
  const queue &leaf = *a.owner->home;
  if (!a.preempt_other || !config_.preemption_enabled || !classes_[a.class_id].required_node.empty()) return INT64_MAX;
  if (a.wait != nullptr && !a.wait->victims.empty()) return INT64_MAX;
  if (!leaf.intra && !is_guaranteed(leaf, classes_[a.class_id])) return INT64_MAX;
  const int64_t from_ms = add_saturating(a.create_time_ms, leaf.preemption_delay_ms);
  return a.wait == nullptr ? from_ms : std::max(from_ms, a.wait->preempt_from_ms);
}

// -- For a guarantee, and within the queue. --

bool preemption::may_make_room(const node &n, const ask &a) const {
  const ask_class &c = classes_[a.class_id];
  return n.schedulable() && devices_.may_hold(n, c) && verdicts_.passes(c, n.slot) && !checks_.has_refused(a, n);
}

bool preemption::try_for(ask &a) {
  if (preempts_at(a) > shared_.now_ms) return false;
  ask_wait::of(a, waits_).preempt_from_ms =
      add_saturating(shared_.now_ms, std::max<int64_t>(1, config_.tuning.preemption_retry_ms));
  forget_held_off(a);
  bool off = false;
  node *n = find_victims(a, off);
  if (n == nullptr) {
    if (off) hold_off(a);
    return false;
  }
  reservation *held = reservation_of(a);
  node *left = nullptr;
  if (held != nullptr && held->where != n) {
    left = held->where;
    reservations_.end(*held, {cause::victims_elsewhere, n->id});
  }
  if (reservation_of(a) == nullptr) reservations_.reserve(a, *n);
  take_victims(search_.victims(), {cause::preempted_for_ask, a.key}, &a);
  if (left != nullptr) reservations_.reopen(*left);
  return true;
}

// Where nothing changed since an ask alike failed, this one fails too, but for the node that is reserved for it.
// `off`: it fails, and victims on a node that is reserved for another ask would have done.
node *preemption::find_victims(ask &a, bool &off) {
  const ask_class &c = classes_[a.class_id];
  // What the RM says is of this ask alone.
  const bool rm_checks = by_proposals_ ? a.wait != nullptr && !a.wait->refusals.empty() : shared_.rm_is_asked();
  leaf_class &alike = ready_.unit_of(*a.owner->home, a.class_id, unit_kind::plain);
  const bool hopeless = !rm_checks && alike.hopeless.at == revision_ && alike.hopeless.priority == a.priority;
  const reservation *held = reservation_of(a);
  if (hopeless && held == nullptr) {
    off = alike.hopeless.held_off;
    return nullptr;
  }
  ++shared_.counters.victim_searches;
  for (;;) {
    node *n = search_.find(a, c, hopeless ? held->where : nullptr);
    if (n == nullptr) break;
    if (checks_.agrees(a, *n, false)) return n;
  }
  off = search_.would_do_but_for_reservations(a, c, held);
  if (rm_checks && by_proposals_) return nullptr;
  alike.hopeless.at = revision_;
  alike.hopeless.priority = a.priority;
  alike.hopeless.held_off = off || (held != nullptr && search_.would_do_but_for_reservations(a, c, nullptr));
  return nullptr;
}

// -- Asks that are held off by reservations of others. --

void preemption::hold_off(ask &a) {
  a.wait->held_off = shared_.next_epoch++;
  held_off_.emplace(a.wait->held_off, &a);
}

void preemption::forget_held_off(ask &a) {
  if (a.wait != nullptr) held_off_.erase(std::exchange(a.wait->held_off, 0));
}

// A reservation ended: they may try again, whenever they tried last.
void preemption::call_held_off() {
  for (const auto &[number, a] : std::exchange(held_off_, {})) {
    a->wait->held_off = 0;
    a->wait->preempt_from_ms = INT64_MIN;
    if (a->line == ask_line::refused) {
      lines_.dequeue(*a);
      lines_.enqueue(*a);
    } else {
      alarms_.chance_changed(*a);
    }
  }
}

// -- On a node that the ask requires. --

bool preemption::try_on(node &n, ask &a) {
  if (!config_.preemption_enabled || (a.wait != nullptr && !a.wait->victims.empty())) return false;
  const ask_class &c = classes_[a.class_id];
  const int64_t *free = nodes_.free(n.slot);
  std::vector<int64_t> missing;
  for (const class_amount &p : c.positive) missing.push_back(sub_saturating(p.amount, free[p.type]));
  free_devices devices;
  devices.start(nodes_.devices().of(n.slot), c.types);
  const auto amount = [&](const allocation &x, size_t k) { return classes_[x.class_id].need[c.positive[k].type]; };
  const auto take = [&](const allocation &x, int sign) {
    for (size_t k = 0; k < missing.size(); ++k) missing[k] -= sign * amount(x, k);
    if (devices.empty() || x.devices == no_record) return;
    const held_list &held = device_records_[x.devices].held;
    sign > 0 ? devices.give(held) : devices.take(held);
  };
  const auto fits = [&] {
    return devices.fits(c) && std::all_of(missing.begin(), missing.end(), [](int64_t m) { return m <= 0; });
  };
  const auto helps = [&](const allocation &x) {
    for (size_t k = 0; k < missing.size(); ++k) {
      if ((missing[k] > 0 || devices.lacks(c, c.positive[k].type)) && amount(x, k) > 0) return true;
    }
    return false;
  };
  std::vector<allocation *> victims;
  for (allocation *x : n.allocations) {
    const bool may = x->state == allocation_state::allocated && !x->bound && x->priority <= a.priority;
    if (may && helps(*x) && !spares(*x->owner->home)) victims.push_back(x);
  }
  std::sort(victims.begin(), victims.end(), [](const auto *x, const auto *y) { return gives_way_before(*x, *y); });
  // Those that opted out come last, so that they are reached only where the others are not enough.
  size_t taken = 0;
  for (; !fits() && taken < victims.size(); ++taken) take(*victims[taken], 1);
  if (taken == 0 || !fits()) return facts_.tell_without_victims(a, n), false;
  victims.resize(taken);
  for (size_t i = taken; i-- > 0;) {
    take(*victims[i], -1);
    if (fits()) {
      victims.erase(victims.begin() + static_cast<ptrdiff_t>(i));
    } else {
      take(*victims[i], 1);
    }
  }
  take_victims(victims, {cause::preempted_for_daemon, a.key}, &a);
  return true;
}

// -- Victims. --

void preemption::take_victims(const std::vector<allocation *> &victims, const reason &why, ask *by, const queue *over) {
  for (allocation *x : victims) {
    lifecycle_.move(*x, allocation_event::preempt);
    changes_.apply(queue_preempting{*x->owner->home, classes_[x->class_id].need, 1});
    decisions_.emit_released(*x, termination::preempted_by_scheduler, why);
    facts_.tell_preempted(*x, by, over);
    if (by != nullptr) add_victim(*by, *x);
  }
  if (by != nullptr) claimants_.push_back(by);
}

void preemption::claim(ask &by, const std::vector<allocation *> &victims) {
  for (allocation *x : victims) add_victim(by, *x);
  claimants_.push_back(&by);
}

void preemption::add_victim(ask &by, allocation &x) {
  ask_wait::of(by, waits_).victims.push_back(&x);
  changes_.apply(victims_changed{by});
  victims_for_.emplace(&x, &by);
}

void preemption::forget(ask &a) {
  forget_victims(a);
  forget_held_off(a);
}

void preemption::victim_gone(const allocation &a) {
  changes_.apply(queue_preempting{*a.owner->home, classes_[a.class_id].need, -1});
  const auto found = victims_for_.find(&a);
  if (found == victims_for_.end()) return;
  ask &by = *found->second;
  victims_for_.erase(found);
  auto &victims = by.wait->victims;
  victims.erase(std::find(victims.begin(), victims.end(), &a));
  changes_.apply(victims_changed{by});
  if (!victims.empty()) return;
  std::erase(claimants_, &by);
  ++revision_;
  alarms_.chance_changed(by);
}

void preemption::forget_victims(ask &a) {
  if (a.wait->victims.empty()) return;
  for (const allocation *x : a.wait->victims) victims_for_.erase(x);
  changes_.apply(victims_changed{a});
  std::erase(claimants_, &a);
  ++revision_;
}

}  // namespace tenon::internal
