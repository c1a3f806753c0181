// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reservations: made for asks that wait, ended, and pass A of the cycle, in which those who have one go first.
#include <algorithm>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

reservation *partition::reservation_of(const ask &a) { return a.wait == nullptr ? nullptr : a.wait->held; }

bool partition::requires_a_node(const ask &a) const { return !classes[a.class_id].required_node.empty(); }

bool partition::holds(const node &n, const ask_class &c) const {
  const bool in_sum = std::all_of(c.positive.begin(), c.positive.end(), [&](const class_amount &p) {
    return p.amount <= sub_saturating(n.capacity[p.type], n.occupied[p.type]);
  });
  return in_sum && (!n.divided || devices_hold(n, c));
}

int64_t partition::matures_at(const ask &a) const {
  if (!config.tuning.reservation_enabled || requires_a_node(a)) return INT64_MAX;
  const int64_t from_ms = add_saturating(a.create_time_ms, config.tuning.reservation_delay_ms);
  return a.wait == nullptr ? from_ms : std::max(from_ms, a.wait->reserve_from_ms);
}

// -- Who may use a reserved node. --

// Where reserved nodes may be backfilled, searches look at them.
bool partition::keeps_others_out(const node &n) const {
  return !n.reservations.empty() && !config.tuning.reservation_backfill;
}

bool partition::may_use(const ask &a, const ask_class &c, const node &n) const {
  return std::all_of(n.reservations.begin(), n.reservations.end(), [&](const reservation *r) {
    if (r->of == &a) return true;
    if (!config.tuning.reservation_backfill) return false;
    const ask_class &reserved = classes[r->of->class_id];
    const int64_t *free = nodes.free(n.slot);
    const bool beside = std::all_of(reserved.positive.begin(), reserved.positive.end(), [&](const class_amount &p) {
      return p.amount <= sub_saturating(free[p.type], c.need[p.type]);
    });
    return (beside && devices_hold_both(n, c, reserved)) || ends_in_time(c, n, reserved);
  });
}

// Before what is known to end on the node makes room for the one that it is reserved for.
bool partition::ends_in_time(const ask_class &c, const node &n, const ask_class &reserved) const {
  if (c.timeout_ms <= 0 || nodes.holds(reserved, n.slot)) return false;
  std::vector<std::pair<int64_t, const allocation *>> ending;
  for (const allocation *x : n.allocations) {
    const auto found = x->state == allocation_state::allocated ? ends_at.find(x->sequence) : ends_at.end();
    if (found != ends_at.end()) ending.emplace_back(found->second, x);
  }
  std::sort(ending.begin(), ending.end(), [](const auto &x, const auto &y) { return x.first < y.first; });
  std::vector<int64_t> free(nodes.free(n.slot), nodes.free(n.slot) + nodes.stride());
  device_room devices;
  devices.start(nodes.devices().of(n.slot), reserved.types);
  for (const auto &[ends_ms, x] : ending) {
    if (x->devices != no_record) devices.give(held_devices_of[x->devices].held);
    for_each_type(classes[x->class_id].need,
                  [&](type_index t, int64_t amount) { free[t] = add_saturating(free[t], amount); });
    if (reserved.fits(free.data()) && devices.fits(reserved))
      return add_saturating(shared.now_ms, c.timeout_ms) <= ends_ms;
  }
  return false;
}

// -- The line of reserved asks. --

reserved_unit &partition::reserved_unit_of(queue &leaf, uint32_t class_id) {
  auto &slot = leaf.reserved[class_id];
  if (slot == nullptr) {
    slot = std::make_unique<reserved_unit>();
    slot->leaf = &leaf;
    slot->class_id = class_id;
    slot->reserved = true;
    slot->shape = &classes[class_id];
    slot->shape->reserved.push_back(slot.get());
  }
  return *slot;
}

void partition::join_reserved(ask &a) {
  reservation &r = *reservation_of(a);
  r.unit = &reserved_unit_of(*a.owner->home, a.class_id);
  a.owner->reserved.insert(&a);
  look_again(r);
  alarms.set(a);
}

void partition::leave_reserved(ask &a) {
  reservation &r = *reservation_of(a);
  a.owner->reserved.erase(&a);
  if (r.parked_on != nullptr) std::erase(r.parked_on->parked_reservations, &r);
  if (r.refused) std::erase(refused_reservations, &r);
  r.parked_on = nullptr;
  r.refused = r.look = r.due = false;
  a.alarm = 0;
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

void partition::refresh(reservation &r) {
  if (r.unit == nullptr) return;
  const application &app = *r.of->owner;
  const bool in =
      r.of->line == ask_line::reserved && app.runs() && !app.held() && r.parked_on == nullptr && !in_stopped_queue(app);
  put_in(r.unit->any, r, in && !r.refused && r.unit->shape->required_node.empty());
  put_in(r.unit->own, r, in && !r.refused && r.look);
  put_in(r.unit->due, r, in && r.due);
  refresh(*r.unit);
}

void partition::refresh(reserved_unit &u) {
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
    if (reserved_ready.contains(&u)) reserved_ready.erase(&u);
    u.first = nullptr;
    return;
  }
  u.first = first;
  if (reserved_ready.contains(&u)) {
    reserved_ready.update(&u);
  } else {
    reserved_ready.push(&u);
  }
}

void partition::refresh_reservations(application &app) {
  for (reservation *r : app.reservations) refresh(*r);
}

void partition::look_again(reservation &r) {
  r.look = true;
  refresh(r);
}

// There may be more to preempt for those who require the node.
void partition::look_for_victims(node &n) {
  for (reservation *r : n.reservations) {
    if (requires_a_node(*r->of)) look_again(*r);
  }
}

// -- Made and ended. --

void partition::reserve(ask &a, node &n) {
  lines.dequeue(a);
  reservation &r = reservations.create();
  r.of = &a;
  r.where = &n;
  r.sequence = next_reservation++;
  a.told = container_word::none;
  ++changes;
  wait_of(a).held = &r;
  a.owner->reservations.push_back(&r);
  n.reservations.push_back(&r);
  reservation_touched(r);
  nodes.close(n.slot, keeps_others_out(n));
  lines.enqueue(a);
  emit_reservation(decision_kind::reserved, r, {});
  tell_reservation(fact_kind::reserved, r);
  if (requires_a_node(a)) return;
  shared.timers.arm(add_saturating(shared.now_ms, config.tuning.reservation_wait_ms), timer_kind::reservation_wait, id,
                    r.index, r.sequence);
}

// The ask stands nowhere then, but where it waits for placeholders, and the node is to be reopened.
void partition::end_reservation(reservation &r, std::string_view text) {
  ask &a = *r.of;
  ++changes;
  emit_reservation(decision_kind::unreserved, r, text);
  tell_reservation(fact_kind::unreserved, r);
  if (a.line == ask_line::reserved) lines.dequeue(a);
  reservation_touched(r);
  a.wait->held = nullptr;
  std::erase(a.owner->reservations, &r);
  std::erase(r.where->reservations, &r);
  reservations.retire(r);
  if (!held_off.empty()) call_held_off();
}

void partition::unreserve(reservation &r, std::string_view text) {
  end_reservation(r, text);
  if (r.of->line == ask_line::none) lines.enqueue(*r.of);
  reopen(*r.where);
}

node *partition::use_reservation(ask &a) {
  reservation *r = reservation_of(a);
  if (r == nullptr) return nullptr;
  end_reservation(*r, keep(messages::reservation_used()));
  return r->where;
}

void partition::drop_reservation(ask &a) {
  if (reservation *r = reservation_of(a)) unreserve(*r, keep(messages::reservation_ask_gone()));
}

void partition::drop_reservations(application &app) {
  while (!app.reservations.empty()) drop_reservation(*app.reservations.front()->of);
}

// To those who may use it, now that it has a reservation less.
void partition::reopen(node &n) {
  nodes.close(n.slot, keeps_others_out(n));
  if (nodes.open(n.slot)) {
    for_each_node_order([&](node_order &order) { order.opened(n.slot); });
  }
  ready.wake_for_node(n);
}

// After a command about the node.
void partition::check_reservations(node &n) {
  if (check_deadline_ms > 0) undo_proposals_on(n, messages::proposal_node_unfit(), true);
  const std::vector<reservation *> all = n.reservations;
  for (reservation *r : all) {
    const ask_class &c = classes[r->of->class_id];
    const bool usable = n.schedulable() || !c.required_node.empty();
    if (usable && holds(n, c) && passes(c, n.slot)) continue;
    unreserve(*r, keep(messages::reservation_node_unfit()));
  }
}

void partition::reservation_waited(reservation &r) {
  r.of->wait->reserve_from_ms = add_saturating(shared.now_ms, config.tuning.reservation_delay_ms);
  unreserve(r, keep(messages::reservation_waited(r.where->id)));
}

// -- Pass A. --

bool partition::decide_reserved() {
  while (!reserved_ready.empty()) {
    if (try_reserved(*reserved_ready.top()->first)) return true;
  }
  return false;
}

// A look that fails leaves less to look at.
bool partition::try_reserved(reservation &r) {
  ask &a = *r.of;
  application &app = *a.owner;
  reserved_unit &u = *r.unit;
  ask_class &c = *u.shape;
  ++shared.counters.asks_examined;
  refused_now.clear();
  if (ready.hold_back(app)) return false;
  type_index type = no_type;
  if (usage_node *full = blocking_limit(app, c, type); full != nullptr) {
    r.parked_on = full;
    r.parked_type = type;
    full->parked_reservations.push_back(&r);
    refresh(r);
    return false;
  }
  queue *full = blocking_queue(*u.leaf, c, type);
  bool refused = false;
  if (full == nullptr && place_reserved(r, refused)) return true;
  if (c.required_node.empty() && try_to_preempt(a)) return true;
  if (full != nullptr && u.parked == parking::none) ready.park_on_queue(u, *full, type);
  if (refused) {
    r.refused = true;
    refused_reservations.push_back(&r);
  }
  r.due = false;
  refresh(r);
  if (a.alarm == 0) alarms.set(a);
  return false;
}

// Within all headroom.
bool partition::place_reserved(reservation &r, bool &refused) {
  ask &a = *r.of;
  ask_class &c = *r.unit->shape;
  if (r.refused) return false;
  if (r.look) {
    node &own = *r.where;
    if (nodes.holds(c, own.slot) && passes(c, own.slot)) {
      if (rm_agrees(a, own, true)) return commit(a, own), true;
      refused = true;
    }
    r.look = false;
    if (!c.required_node.empty()) {
      refused |= rm_refused(a, own);  // nobody gives way for what the RM does not let run there
      return !refused && preempt_on(own, a);
    }
  }
  if (!c.required_node.empty() || c.blocked) return false;
  bool search_refused = false;
  if (node *n = search(c, a, search_refused); n != nullptr) return commit(a, *n), true;
  if (!search_refused) ready.block(c);
  refused |= search_refused;
  return false;
}

// -- Pass C: asks that cannot be placed now. --

bool partition::try_to_reserve(ask &a, ask_class &c, bool &refused) {
  if (c.unreservable || matures_at(a) > shared.now_ms) return false;
  bool here = false;
  node *n = node_to_reserve(a, c, here);
  if (n != nullptr) return reserve(a, *n), true;
  if (c.blocked && !here) c.unreservable = true;
  refused |= here;
  return false;
}

// Of the nodes without reservation the one that lacks least of what the ask needs.
node *partition::node_to_reserve(ask &a, ask_class &c, bool &refused) {
  node_order *by = order_for(c, *a.owner);
  if (by == nullptr) return nullptr;
  std::vector<uint32_t> left_out;
  for (;;) {
    const uint32_t slot = by->least_lacking(c, shared.counters.nodes_examined, [&](uint32_t candidate) {
      const node &n = *nodes.at(candidate);
      return n.reservations.empty() && holds(n, c) && passes(c, candidate) &&
             std::find(left_out.begin(), left_out.end(), candidate) == left_out.end();
    });
    if (slot == node_order::no_slot || rm_agrees(a, *nodes.at(slot), false)) {
      return slot == node_order::no_slot ? nullptr : nodes.at(slot);
    }
    refused = true;
    left_out.push_back(slot);
  }
}

// An ask that requires a node takes it from those who could go elsewhere.
bool partition::try_required(ask &a, ask_class &c, bool &refused) {
  node *n = nodes.find(c.required_node);
  if (n == nullptr || !holds(*n, c) || !passes(c, n->slot)) {
    if (!c.blocked) ready.block(c);
    return false;
  }
  const bool kept = std::any_of(n->reservations.begin(), n->reservations.end(),
                                [&](const reservation *r) { return requires_a_node(*r->of); });
  const bool now = !kept && nodes.holds(c, n->slot);
  refused = !rm_agrees(a, *n, now);
  if (refused) return false;
  if (!kept && !n->reservations.empty()) {
    unreserve(*n->reservations.front(), keep(messages::reservation_for_daemon(a.key)));
  }
  if (now) {
    commit(a, *n);
  } else {
    reserve(a, *n);
  }
  return true;
}

}  // namespace tenon::internal
