// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "queueing/reserved_line.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "model/gang_reservations.hpp"
#include "model/node_table.hpp"
#include "queueing/ask_alarms.hpp"

namespace tenon::internal {

int64_t reserved_line::reserves_at(const ask &a) const {
  if (!config.tuning.reservation_enabled || classes[a.class_id].requires_a_node()) return INT64_MAX;
  const int64_t from_ms = add_saturating(a.create_time_ms, config.tuning.reservation_delay_ms);
  return a.wait == nullptr ? from_ms : std::max(from_ms, a.wait->reserve_from_ms);
}

int64_t reserved_line::reserves_for_gang_at(const ask &a) const {
  if (!a.placeholder || is_held_with_gang(a)) return INT64_MAX;
  return a.wait == nullptr ? reserves_at(a) : std::max(reserves_at(a), a.wait->preempt_from_ms);
}

size_t reserved_line::most_nodes() const {
  const uint32_t most = config.tuning.reservation_max_nodes;
  if (most == partition_tuning::tenth_of_nodes) return std::max<size_t>(1, nodes.count() / 10);
  return most == 0 ? SIZE_MAX : most;
}

size_t reserved_line::reserved_nodes_of(const application &app) const {
  const auto counts = [&](const reservation *r) {
    const bool is_another = !r->of_gang || r->where->reservations->front() == r;  // node than those before it
    return is_another && !classes[r->of->class_id].requires_a_node();
  };
  return static_cast<size_t>(std::count_if(app.reservations->begin(), app.reservations->end(), counts));
}

reserved_unit &reserved_line::unit_of(queue &leaf, uint32_t class_id) {
  auto &slot = leaf.reserved[class_id];
  if (slot == nullptr) {
    slot = std::make_unique<reserved_unit>();
    slot->shape = &classes[class_id];
    slot->shape->reserved.push_back(slot.get());
  }
  return *slot;
}

void reserved_line::join(ask &a) {
  reservation &r = *reservation_of(a);
  a.owner->reserved.insert(&a);
  follow(r);
  look_again(r);
  alarms.set(a);
}

void reserved_line::leave(ask &a) {
  reservation &r = *reservation_of(a);
  a.owner->reserved.erase(&a);
  if (r.refused) std::erase(refused_, &r);
  if (r.full) std::erase(full_, &r);
  r.refused = r.full = r.look = r.due = false;
  alarms.stop(a);
  stand(r, false);
  forget(r);
}

void reserved_line::follow(reservation &r) {
  r.unit = &unit_of(*r.of->owner->home, r.of->class_id);
  count(r, true);
  doubt(r);
}

void reserved_line::forget(reservation &r) {
  count(r, false);
  doubtful_.erase(r.sequence);
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
  if (r.unit == nullptr || r.of_gang) return;
  stand(r, !r.full && !r.stands_aside);
  refresh(*r.unit);
}

void reserved_line::refresh(reserved_unit &u) {
  reservation *first = nullptr;
  const auto consider = [&](const auto &heap) {
    if (!heap.empty() && (first == nullptr || heap.top()->sequence < first->sequence)) first = heap.top();
  };
  consider(u.due);
  consider(u.own);
  if (!u.shape->blocked) consider(u.any);
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

void reserved_line::retry(reservation &r) {
  if (r.refused) std::erase(refused_, &r);
  r.refused = false;
  look_again(r);
}

void reserved_line::wake_refused() {
  if (refused_.empty()) return;
  for (reservation *r : std::exchange(refused_, {})) {
    r->refused = false;
    look_again(*r);
  }
}

void reserved_line::wake_full() {
  if (full_.empty()) return;
  for (reservation *r : std::exchange(full_, {})) {
    r->full = false;
    refresh(*r);
  }
}

// -- Who may not run any more. --

void reserved_line::count(reservation &r, bool in) {
  for (queue *q = r.of->owner->home; q != nullptr; q = q->parent) {
    for (const class_amount &p : r.unit->shape->positive) {
      in ? q->reserved_below.add(p.type, p.amount, r) : q->reserved_below.remove(p.type, p.amount, r);
    }
  }
  count_for_limits(r, in);
}

void reserved_line::count_for_limits(reservation &r, bool in) {
  for_each_limit(*r.of->owner, [&](usage_node &u) {
    for (const class_amount &p : r.unit->shape->positive) {
      in ? u.reserved.add(p.type, p.amount, r) : u.reserved.remove(p.type, p.amount, r);
    }
  });
}

void reserved_line::attached(const application &app) {
  for (reservation *r : app.reservations) {
    if (r->unit == nullptr) continue;
    count_for_limits(*r, true);
    doubt(*r);
  }
}

void reserved_line::doubt(reservation &r) {
  if (r.unit != nullptr) doubtful_.emplace(r.sequence, &r);
}

void reserved_line::doubt(const application &app) {
  for (reservation *r : app.reservations) doubt(*r);
}

void reserved_line::doubt_those_beyond(const queue &q) {
  const auto room = [&](type_index t) {
    return q.max.has(t) ? sub_saturating(sub_saturating(q.max[t], q.allocated[t]), q.awaited[t]) : INT64_MAX;
  };
  q.reserved_below.for_each_beyond(room, [&](reservation &r) { doubt(r); });
}

void reserved_line::doubt_those_beyond(const usage_node &u) {
  const auto room = [&](type_index t) { return u.max.has(t) ? sub_saturating(u.max[t], u.usage[t]) : INT64_MAX; };
  u.reserved.for_each_beyond(room, [&](reservation &r) { doubt(r); });
}

void reserved_line::doubt_all(const reserved_needs &all) {
  all.for_each_beyond([](type_index) { return int64_t{0}; }, [&](reservation &r) { doubt(r); });
}

// -- Tried in vain. --

void reserved_line::wait_for_headroom(reservation &r) {
  r.full = true;
  full_.push_back(&r);
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
