// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/reservations.hpp"

#include <algorithm>

#include "change_dispatcher.hpp"
#include "core.hpp"
#include "ledger/device_holdings.hpp"
#include "model/may_run.hpp"
#include "ready/ask_alarms.hpp"
#include "ready/ask_lines.hpp"
#include "ready/ready_index.hpp"
#include "rules/lifecycles.hpp"
#include "rules/limits.hpp"
#include "rules/node_search.hpp"
#include "rules/node_verdicts.hpp"
#include "rules/placement_checks.hpp"
#include "rules/preemption.hpp"
#include "rules/proposals.hpp"
#include "tenon/kernel/messages.hpp"
#include "told/decision_teller.hpp"
#include "told/fact_teller.hpp"

namespace tenon::internal {

int64_t reservations::reserves_at(const ask &a) const {
  if (!config_.tuning.reservation_enabled || classes_[a.class_id].requires_a_node()) return INT64_MAX;
  const int64_t from_ms = add_saturating(a.create_time_ms, config_.tuning.reservation_delay_ms);
  return a.wait == nullptr ? from_ms : std::max(from_ms, a.wait->reserve_from_ms);
}

// -- Who may use a reserved node. --

// Where reserved nodes may be backfilled, searches look at them.
bool reservations::keeps_others_out(const node &n) const {
  return !n.reservations.empty() && !config_.tuning.reservation_backfill;
}

bool reservations::may_use(const ask &a, const ask_class &c, const node &n) const {
  return std::all_of(n.reservations.begin(), n.reservations.end(), [&](const reservation *r) {
    if (r->of == &a) return true;
    if (!config_.tuning.reservation_backfill) return false;
    const ask_class &reserved = classes_[r->of->class_id];
    const int64_t *free = nodes_.free(n.slot);
    const bool beside = std::all_of(reserved.positive.begin(), reserved.positive.end(), [&](const class_amount &p) {
      return p.amount <= sub_saturating(free[p.type], c.need[p.type]);
    });
    return (beside && devices_.hold_both(n, c, reserved)) || ends_in_time(c, n, reserved);
  });
}

// Before what is known to end on the node makes room for the one that it is reserved for.
bool reservations::ends_in_time(const ask_class &c, const node &n, const ask_class &reserved) const {
  if (c.timeout_ms <= 0 || nodes_.holds(reserved, n.slot)) return false;
  std::vector<std::pair<int64_t, const allocation *>> ending;
  for (const allocation *x : n.allocations) {
    const auto found = x->state == allocation_state::allocated ? ends_at_.find(x->sequence) : ends_at_.end();
    if (found != ends_at_.end()) ending.emplace_back(found->second, x);
  }
  std::sort(ending.begin(), ending.end(), [](const auto &x, const auto &y) { return x.first < y.first; });
  std::vector<int64_t> free(nodes_.free(n.slot), nodes_.free(n.slot) + nodes_.stride());
  free_devices devices;
  devices.start(nodes_.devices().of(n.slot), reserved.types);
  for (const auto &[ends_ms, x] : ending) {
    if (x->devices != no_record) devices.give(device_records_[x->devices].held);
    for_each_type(classes_[x->class_id].need,
                  [&](type_index t, int64_t amount) { free[t] = add_saturating(free[t], amount); });
    if (reserved.fits(free.data()) && devices.fits(reserved))
      return add_saturating(shared_.now_ms, c.timeout_ms) <= ends_ms;
  }
  return false;
}

// -- The line of reserved asks. --

reserved_unit &reservations::unit_of(queue &leaf, uint32_t class_id) {
  auto &slot = leaf.reserved[class_id];
  if (slot == nullptr) {
    slot = std::make_unique<reserved_unit>();
    slot->leaf = &leaf;
    slot->class_id = class_id;
    slot->reserved = true;
    slot->shape = &classes_[class_id];
    slot->shape->reserved.push_back(slot.get());
  }
  return *slot;
}

void reservations::join(ask &a) {
  reservation &r = *reservation_of(a);
  r.unit = &unit_of(*a.owner->home, a.class_id);
  a.owner->reserved.insert(&a);
  look_again(r);
  alarms_.set(a);
}

void reservations::leave(ask &a) {
  reservation &r = *reservation_of(a);
  a.owner->reserved.erase(&a);
  if (r.parked_on != nullptr) std::erase(r.parked_on->parked_reservations, &r);
  if (r.refused) std::erase(refused_, &r);
  r.parked_on = nullptr;
  r.refused = r.look = r.due = false;
  alarms_.stop(a);
  a.line = ask_line::none;
  refresh(r);
  r.unit = nullptr;
}

namespace {

template <class Heap>
void put_in(Heap &heap, reservation &r, bool in) {
  if (in == heap.contains(&r)) return;
  if (in) {
    heap.push(&r);
  } else {
    heap.erase(&r);
  }
}

}  // namespace

void reservations::refresh(reservation &r) {
  if (r.unit == nullptr) return;
  const application &app = *r.of->owner;
  const bool in =
      r.of->line == ask_line::reserved && app.runs() && !app.held() && r.parked_on == nullptr && !in_stopped_queue(app);
  put_in(r.unit->any, r, in && !r.refused && r.unit->shape->required_node.empty());
  put_in(r.unit->own, r, in && !r.refused && r.look);
  put_in(r.unit->due, r, in && r.due);
  refresh(*r.unit);
}

void reservations::refresh(reserved_unit &u) {
  reservation *first = nullptr;
  const auto consider = [&](const auto &heap) {
    if (!heap.empty() && (first == nullptr || heap.top()->sequence < first->sequence)) first = heap.top();
  };
  consider(u.due);
  if (u.parked == parking::none) {
    consider(u.own);
    if (!u.shape->blocked) consider(u.any);
  }
  if (first == nullptr) {
    if (heap_.contains(&u)) heap_.erase(&u);
    u.first = nullptr;
    return;
  }
  u.first = first;
  if (heap_.contains(&u)) {
    heap_.update(&u);
  } else {
    heap_.push(&u);
  }
}

void reservations::refresh(application &app) {
  for (reservation *r : app.reservations) refresh(*r);
}

void reservations::look_again(reservation &r) {
  r.look = true;
  refresh(r);
}

void reservations::look_again(node &n) {
  for (reservation *r : n.reservations) look_again(*r);
}

void reservations::wake_refused() {
  for (reservation *r : std::exchange(refused_, {})) {
    r->refused = false;
    look_again(*r);
  }
}

void reservations::look_for_victims(node &n) {
  for (reservation *r : n.reservations) {
    if (classes_[r->of->class_id].requires_a_node()) look_again(*r);
  }
}

// -- Made and ended. --

void reservations::reserve(ask &a, node &n) {
  lines_.dequeue(a);
  reservation &r = all_.create();
  r.of = &a;
  r.where = &n;
  r.sequence = next_++;
  a.told = container_word::none;
  preemption_.changed();
  ask_wait::of(a, waits_).held = &r;
  a.owner->reservations.push_back(&r);
  n.reservations.push_back(&r);
  changes_.apply(reservation_changed{r});
  nodes_.close(n.slot, keeps_others_out(n));
  lines_.enqueue(a);
  decisions_.emit_reservation(decided::reserved{}, r);
  facts_.tell(fact_kind::reserved, r);
  if (classes_[a.class_id].requires_a_node()) return;
  shared_.timers.arm(add_saturating(shared_.now_ms, config_.tuning.reservation_wait_ms), timer_kind::reservation_wait,
                     partition_id_, r.index, r.sequence);
}

// The ask stands nowhere then, but where it waits for placeholders, and the node is to be reopened.
void reservations::end(reservation &r, const reason &why) {
  ask &a = *r.of;
  preemption_.changed();
  decisions_.emit_reservation(decided::unreserved{why}, r);
  facts_.tell(fact_kind::unreserved, r);
  if (a.line == ask_line::reserved) lines_.dequeue(a);
  changes_.apply(reservation_changed{r});
  a.wait->held = nullptr;
  std::erase(a.owner->reservations, &r);
  std::erase(r.where->reservations, &r);
  all_.retire(r);
  preemption_.reservation_ended();
}

void reservations::unreserve(reservation &r, const reason &why) {
  end(r, why);
  if (r.of->line == ask_line::none) lines_.enqueue(*r.of);
  reopen(*r.where);
}

node *reservations::use(ask &a) {
  reservation *r = reservation_of(a);
  if (r == nullptr) return nullptr;
  end(*r, {cause::reservation_used});
  return r->where;
}

void reservations::drop(ask &a) {
  if (reservation *r = reservation_of(a)) unreserve(*r, {cause::ask_gone});
}

void reservations::drop_all(application &app) {
  while (!app.reservations.empty()) drop(*app.reservations.front()->of);
}

// To those who may use it, now that it has a reservation less.
void reservations::reopen(node &n) {
  nodes_.close(n.slot, keeps_others_out(n));
  if (nodes_.open(n.slot)) {
    sortings_.for_each_order([&](node_order &order) { order.opened(n.slot); });
  }
  ready_.wake_for_node(n);
}

void reservations::check(node &n) {
  if (proposals_.are_made()) proposals_.undo_on(n, {cause::node_unfit}, true);
  const std::vector<reservation *> all = n.reservations;
  for (reservation *r : all) {
    const ask_class &c = classes_[r->of->class_id];
    const bool usable = n.schedulable() || !c.required_node.empty();
    if (usable && devices_.may_hold(n, c) && verdicts_.passes(c, n.slot)) continue;
    unreserve(*r, {cause::node_unfit});
  }
}

void reservations::is_due(const timer &t) {
  reservation &r = all_[t.object];
  r.of->wait->reserve_from_ms = add_saturating(shared_.now_ms, config_.tuning.reservation_delay_ms);
  unreserve(r, {cause::waited_too_long});
}

bool reservations::is_void(const timer &t) const { return !all_[t.object].live || all_[t.object].sequence != t.epoch; }

// -- Pass A. --

bool reservations::decide() {
  while (!heap_.empty()) {
    if (try_one(*heap_.top()->first)) return true;
  }
  return false;
}

// A look that fails leaves less to look at.
bool reservations::try_one(reservation &r) {
  ask &a = *r.of;
  application &app = *a.owner;
  reserved_unit &u = *r.unit;
  ask_class &c = *u.shape;
  ++shared_.counters.asks_examined;
  checks_.begin_look();
  if (ready_.hold_back(app)) return false;
  type_index type = no_type;
  if (usage_node *full = limits_.blocking(app, c, type); full != nullptr) {
    r.parked_on = full;
    r.parked_type = type;
    full->parked_reservations.push_back(&r);
    refresh(r);
    return false;
  }
  queue *full = blocking_queue(*u.leaf, c, total_, type);
  bool refused = false;
  if (full == nullptr && place(r, refused)) return true;
  if (c.required_node.empty() && preemption_.try_for(a)) return true;
  if (full != nullptr && u.parked == parking::none) ready_.park_on_queue(u, *full, type);
  if (refused) {
    r.refused = true;
    refused_.push_back(&r);
  }
  r.due = false;
  refresh(r);
  alarms_.set_where_none(a);
  return false;
}

// Within all headroom.
bool reservations::place(reservation &r, bool &refused) {
  ask &a = *r.of;
  ask_class &c = *r.unit->shape;
  if (r.refused) return false;
  if (r.look) {
    node &own = *r.where;
    if (nodes_.holds(c, own.slot) && verdicts_.passes(c, own.slot)) {
      if (checks_.agrees(a, own, true)) return lifecycle_.commit(a, own), true;
      refused = true;
    }
    r.look = false;
    if (!c.required_node.empty()) {
      refused |= checks_.has_refused(a, own);  // nobody gives way for what the RM does not let run there
      return !refused && preemption_.try_on(own, a);
    }
  }
  if (!c.required_node.empty() || c.blocked) return false;
  bool search_refused = false;
  if (node *n = search_.find(c, a, search_refused); n != nullptr) return lifecycle_.commit(a, *n), true;
  if (!search_refused) ready_.block(c);
  refused |= search_refused;
  return false;
}

// -- Pass C: asks that cannot be placed now. --

bool reservations::try_to_reserve(ask &a, ask_class &c, bool &refused) {
  if (c.unreservable || reserves_at(a) > shared_.now_ms) return false;
  bool here = false;
  node *n = node_to_reserve(a, c, here);
  if (n != nullptr) return reserve(a, *n), true;
  if (c.blocked && !here) c.unreservable = true;
  refused |= here;
  return false;
}

// Of the nodes without reservation the one that lacks least of what the ask needs.
node *reservations::node_to_reserve(ask &a, ask_class &c, bool &refused) {
  node_order *by = search_.order_for(c, *a.owner);
  if (by == nullptr) return nullptr;
  std::vector<uint32_t> left_out;
  for (;;) {
    const uint32_t slot = by->least_lacking(c, shared_.counters.nodes_examined, [&](uint32_t candidate) {
      const node &n = *nodes_.at(candidate);
      return n.reservations.empty() && devices_.may_hold(n, c) && verdicts_.passes(c, candidate) &&
             std::find(left_out.begin(), left_out.end(), candidate) == left_out.end();
    });
    if (slot == node_order::no_slot || checks_.agrees(a, *nodes_.at(slot), false)) {
      return slot == node_order::no_slot ? nullptr : nodes_.at(slot);
    }
    refused = true;
    left_out.push_back(slot);
  }
}

// An ask that requires a node takes it from those who could go elsewhere.
bool reservations::try_required(ask &a, ask_class &c, bool &refused) {
  node *n = nodes_.find(c.required_node);
  if (n == nullptr || !devices_.may_hold(*n, c) || !verdicts_.passes(c, n->slot)) {
    if (!c.blocked) ready_.block(c);
    return false;
  }
  const bool kept = std::any_of(n->reservations.begin(), n->reservations.end(),
                                [&](const reservation *r) { return classes_[r->of->class_id].requires_a_node(); });
  const bool now = !kept && nodes_.holds(c, n->slot);
  refused = !checks_.agrees(a, *n, now);
  if (refused) return false;
  if (!kept && !n->reservations.empty()) {
    unreserve(*n->reservations.front(), {cause::daemon_comes, a.key});
  }
  if (now) {
    lifecycle_.commit(a, *n);
  } else {
    reserve(a, *n);
  }
  return true;
}

}  // namespace tenon::internal
