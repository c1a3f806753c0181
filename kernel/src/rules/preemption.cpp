// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/preemption.hpp"

#include <algorithm>
#include <utility>

#include "model/victims.hpp"
#include "partition.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

preemption::preemption(partition &p)
    : p_(p), search_(*this, p.reservations, p.nodes, p.classes, p.held_devices_of, p.total) {}

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
  if (!a.preempt_other || !p_.config.preemption_enabled || p_.requires_a_node(a)) return INT64_MAX;
  if (a.wait != nullptr && !a.wait->victims.empty()) return INT64_MAX;
  if (!leaf.intra && !is_guaranteed(leaf, p_.classes[a.class_id])) return INT64_MAX;
  const int64_t from_ms = add_saturating(a.create_time_ms, leaf.preemption_delay_ms);
  return a.wait == nullptr ? from_ms : std::max(from_ms, a.wait->preempt_from_ms);
}

// -- For a guarantee, and within the queue. --

bool preemption::may_make_room(const node &n, const ask &a) const {
  const ask_class &c = p_.classes[a.class_id];
  return n.schedulable() && p_.holds(n, c) && p_.verdicts.passes(c, n.slot) && !p_.checks.has_refused(a, n);
}

bool preemption::try_for(ask &a) {
  if (preempts_at(a) > p_.shared.now_ms) return false;
  p_.wait_of(a).preempt_from_ms =
      add_saturating(p_.shared.now_ms, std::max<int64_t>(1, p_.config.tuning.preemption_retry_ms));
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
    p_.reservations.end(*held, {cause::victims_elsewhere, n->id});
  }
  if (reservation_of(a) == nullptr) p_.reservations.reserve(a, *n);
  take_victims(search_.victims(), {cause::preempted_for_ask, a.key}, &a);
  if (left != nullptr) p_.reservations.reopen(*left);
  return true;
}

// Where nothing changed since an ask alike failed, this one fails too, but for the node that is reserved for it.
// `off`: it fails, and victims on a node that is reserved for another ask would have done.
node *preemption::find_victims(ask &a, bool &off) {
  const ask_class &c = p_.classes[a.class_id];
  // What the RM says is of this ask alone.
  const bool rm_checks = p_.check_deadline_ms > 0 ? a.wait != nullptr && !a.wait->refusals.empty()
                                                  : p_.shared.check || p_.shared.replayed != nullptr;
  leaf_class &alike = p_.ready.unit_of(*a.owner->home, a.class_id, unit_kind::young);
  const bool hopeless = !rm_checks && alike.hopeless.at == changes_ && alike.hopeless.priority == a.priority;
  const reservation *held = reservation_of(a);
  if (hopeless && held == nullptr) {
    off = alike.hopeless.held_off;
    return nullptr;
  }
  ++p_.shared.counters.victim_searches;
  for (;;) {
    node *n = search_.find(a, c, hopeless ? held->where : nullptr);
    if (n == nullptr) break;
    if (p_.checks.agrees(a, *n, false)) return n;
  }
  off = search_.would_do_but_for_reservations(a, c, held);
  if (rm_checks && p_.check_deadline_ms > 0) return nullptr;
  alike.hopeless.at = changes_;
  alike.hopeless.priority = a.priority;
  alike.hopeless.held_off = off || (held != nullptr && search_.would_do_but_for_reservations(a, c, nullptr));
  return nullptr;
}

// -- Asks that are held off by reservations of others. --

void preemption::hold_off(ask &a) {
  a.wait->held_off = p_.shared.next_epoch++;
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
    if (a->line == ask_line::aside) {
      p_.lines.dequeue(*a);
      p_.lines.enqueue(*a);
    } else {
      p_.alarms.chance_changed(*a);
    }
  }
}

// -- On a node that the ask requires. --

bool preemption::try_on(node &n, ask &a) {
  if (!p_.config.preemption_enabled || (a.wait != nullptr && !a.wait->victims.empty())) return false;
  const ask_class &c = p_.classes[a.class_id];
  const int64_t *free = p_.nodes.free(n.slot);
  std::vector<int64_t> missing;
  for (const class_amount &p : c.positive) missing.push_back(sub_saturating(p.amount, free[p.type]));
  device_room devices;
  devices.start(p_.nodes.devices().of(n.slot), c.types);
  const auto amount = [&](const allocation &x, size_t k) { return p_.classes[x.class_id].need[c.positive[k].type]; };
  const auto take = [&](const allocation &x, int sign) {
    for (size_t k = 0; k < missing.size(); ++k) missing[k] -= sign * amount(x, k);
    if (devices.empty() || x.devices == no_record) return;
    const held_list &held = p_.held_devices_of[x.devices].held;
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
  if (taken == 0 || !fits()) return p_.facts.tell_without_victims(a, n), false;
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
    p_.move(*x, allocation_event::preempt);
    p_.apply(queue_preempting{*x->owner->home, p_.classes[x->class_id].need, 1});
    p_.decisions.emit_released(*x, termination::preempted_by_scheduler, why);
    p_.facts.tell_preempted(*x, by, over);
    if (by != nullptr) add_victim(*by, *x);
  }
  if (by != nullptr) claimants_.push_back(by);
}

void preemption::claim(ask &by, const std::vector<allocation *> &victims) {
  for (allocation *x : victims) add_victim(by, *x);
  claimants_.push_back(&by);
}

void preemption::add_victim(ask &by, allocation &x) {
  p_.wait_of(by).victims.push_back(&x);
  p_.touched(by);
  victims_for_.emplace(&x, &by);
}

void preemption::forget(ask &a) {
  forget_victims(a);
  forget_held_off(a);
}

void preemption::victim_gone(const allocation &a) {
  p_.apply(queue_preempting{*a.owner->home, p_.classes[a.class_id].need, -1});
  const auto found = victims_for_.find(&a);
  if (found == victims_for_.end()) return;
  ask &by = *found->second;
  victims_for_.erase(found);
  auto &victims = by.wait->victims;
  victims.erase(std::find(victims.begin(), victims.end(), &a));
  p_.touched(by);
  if (!victims.empty()) return;
  std::erase(claimants_, &by);
  ++changes_;
  p_.alarms.chance_changed(by);
}

void preemption::forget_victims(ask &a) {
  if (a.wait->victims.empty()) return;
  for (const allocation *x : a.wait->victims) victims_for_.erase(x);
  p_.touched(a);
  std::erase(claimants_, &a);
  ++changes_;
}

}  // namespace tenon::internal
