// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ready/reserved_line.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "model/may_run.hpp"
#include "ready/ask_alarms.hpp"

namespace tenon::internal {

int64_t reserved_line::reserves_at(const ask &a) const {
  if (!config.tuning.reservation_enabled || classes[a.class_id].requires_a_node()) return INT64_MAX;
  const int64_t from_ms = add_saturating(a.create_time_ms, config.tuning.reservation_delay_ms);
  return a.wait == nullptr ? from_ms : std::max(from_ms, a.wait->reserve_from_ms);
}

reserved_unit &reserved_line::unit_of(queue &leaf, uint32_t class_id) {
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

void reserved_line::join(ask &a) {
  reservation &r = *reservation_of(a);
  r.unit = &unit_of(*a.owner->home, a.class_id);
  a.owner->reserved.insert(&a);
  look_again(r);
  alarms.set(a);
}

void reserved_line::leave(ask &a) {
  reservation &r = *reservation_of(a);
  a.owner->reserved.erase(&a);
  if (r.parked_on != nullptr) std::erase(r.parked_on->parked_reservations, &r);
  if (r.refused) std::erase(refused_, &r);
  r.parked_on = nullptr;
  r.refused = r.look = r.due = false;
  alarms.stop(a);
  stand(r, false);
  refresh(*std::exchange(r.unit, nullptr));
}

// -- Whose turn it is. --

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

void reserved_line::stand(reservation &r, bool in) {
  put_in(r.unit->any, r, in && !r.refused && r.unit->shape->required_node.empty());
  put_in(r.unit->own, r, in && !r.refused && r.look);
  put_in(r.unit->due, r, in && r.due);
}

void reserved_line::refresh(reservation &r) {
  if (r.unit == nullptr) return;
  const application &app = *r.of->owner;
  stand(r, app.runs() && !app.held() && r.parked_on == nullptr && !in_stopped_queue(app));
  refresh(*r.unit);
}

void reserved_line::refresh(reserved_unit &u) {
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

void reserved_line::refresh(application &app) {
  for (reservation *r : app.reservations) refresh(*r);
}

void reserved_line::look_again(reservation &r) {
  r.look = true;
  refresh(r);
}

void reserved_line::look_again(node &n) {
  for (reservation *r : n.reservations) look_again(*r);
}

void reserved_line::look_for_victims(node &n) {
  for (reservation *r : n.reservations) {
    if (classes[r->of->class_id].requires_a_node()) look_again(*r);
  }
}

void reserved_line::wake_refused() {
  for (reservation *r : std::exchange(refused_, {})) {
    r->refused = false;
    look_again(*r);
  }
}

// -- Tried in vain. --

void reserved_line::park_on_limit(reservation &r, usage_node &full, type_index t) {
  r.parked_on = &full;
  r.parked_type = t;
  full.parked_reservations.push_back(&r);
  refresh(r);
}

void reserved_line::tried(reservation &r, bool refused) {
  if (refused) {
    r.refused = true;
    refused_.push_back(&r);
  }
  r.due = false;
  refresh(r);
  alarms.set_where_none(*r.of);
}

}  // namespace tenon::internal
