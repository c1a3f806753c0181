// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What time alone lets an ask do. An ask in a parked unit has an alarm for the next time at which it may do what
// it could not before; when it rings the ask goes on to a unit of its own kind, which is not parked for that. Asks
// of a unit that is not parked have no alarm: most of them are placed before they would need one.
#include <algorithm>

#include "partition.hpp"

namespace tenon::internal {

ask_wait &partition::wait_of(ask &a) {
  if (a.wait == nullptr) a.wait = &waits.create();
  return *a.wait;
}

void partition::forget_wait(ask &a) {
  if (a.wait == nullptr) return;
  forget_victims(a);
  forget_refusals(a);
  forget_held_off(a);
  waits.retire(*a.wait);
  a.wait = nullptr;
}

void partition::join_untimed(ask &a, leaf_class &u) {
  a.after_untimed = u.first_untimed;
  if (u.first_untimed != no_ask) asks[u.first_untimed].before_untimed = a.index;
  u.first_untimed = a.index;
}

bool partition::is_untimed(const ask &a) {
  return a.before_untimed != no_ask || a.group->unit->first_untimed == a.index;
}

void partition::forget_alarm(ask &a) {
  leaf_class &u = *a.group->unit;
  a.alarm = 0;
  if (!is_untimed(a)) return;
  (a.before_untimed != no_ask ? asks[a.before_untimed].after_untimed : u.first_untimed) = a.after_untimed;
  if (a.after_untimed != no_ask) asks[a.after_untimed].before_untimed = a.before_untimed;
  a.before_untimed = a.after_untimed = no_ask;
}

void partition::set_alarms(leaf_class &u) {
  while (u.first_untimed != no_ask) {
    ask &a = asks[u.first_untimed];
    forget_alarm(a);
    set_alarm(a);
  }
}

int64_t partition::matures_at(const ask &a) const {
  if (!config.tuning.reservation_enabled || requires_a_node(a)) return INT64_MAX;
  const int64_t from_ms = add_saturating(a.create_time_ms, config.tuning.reservation_delay_ms);
  return a.wait == nullptr ? from_ms : std::max(from_ms, a.wait->reserve_from_ms);
}

unit_kind partition::kind_for(const ask &a) const {
  if (preempts_at(a) <= shared.now_ms) return unit_kind::urgent;
  return matures_at(a) <= shared.now_ms ? unit_kind::mature : unit_kind::young;
}

// When time alone lets it do what it could not do where it stands; INT64_MAX: never.
int64_t partition::next_chance(const ask &a) const {
  switch (a.line) {
    case ask_line::run:
      switch (a.group->unit->kind) {
        case unit_kind::young:
          return std::min(matures_at(a), preempts_at(a));
        case unit_kind::mature:
          return preempts_at(a);
        case unit_kind::urgent:
          return INT64_MAX;
      }
      return INT64_MAX;
    case ask_line::reserved:
      return preempts_at(a);
    case ask_line::aside: {
      // What it could do already it did not do when it was looked at.
      int64_t out = INT64_MAX;
      for (const int64_t at : {matures_at(a), preempts_at(a)}) {
        if (at > shared.now_ms) out = std::min(out, at);
      }
      return out;
    }
    default:
      return INT64_MAX;
  }
}

void partition::set_alarm(ask &a) {
  const int64_t at = next_chance(a);
  if (at == INT64_MAX) return;
  if (at <= shared.now_ms) return alarm_rang(a);
  a.alarm = shared.next_epoch++;
  shared.timers.arm(at, timer_kind::ask_alarm, id, a.index, a.alarm);
}

void partition::alarm_rang(ask &a) {
  a.alarm = 0;
  switch (a.line) {
    case ask_line::run:
      return move_to(a, kind_for(a));
    case ask_line::reserved: {
      reservation &r = *a.wait->held;
      r.due = preempts_at(a) <= shared.now_ms;
      if (!r.due) return set_alarm(a);
      return refresh(r);
    }
    case ask_line::aside:
      dequeue(a);
      return enqueue(a);
    default:
      return;
  }
}

// It may do something at another time than was known.
void partition::chance_changed(ask &a) {
  if (a.line == ask_line::run) return move_to(a, a.group->unit->kind);
  set_alarm(a);
}

void partition::move_to(ask &a, unit_kind kind) {
  leave_run(a);
  join_run(a, kind);
}

// Delays, switches and what backfill looks at may be others now.
void partition::reconsider_all(bool other_classes) {
  ++changes;
  for (uint32_t i = 0; i < asks.extent(); ++i) {
    ask &a = asks[i];
    if (!a.live || a.line == ask_line::none) continue;
    if (other_classes) {
      const ask_class before = classes[a.class_id];
      dequeue(a);
      a.class_id = classify(before.required_node, a, before.need, before.devices).id;
      enqueue(a);
    } else if (a.line == ask_line::run) {
      if (!is_untimed(a) || a.group->unit->kind != unit_kind::young) move_to(a, unit_kind::young);
    } else {
      a.alarm = 0;
      set_alarm(a);
    }
  }
  for (const auto &[node_id, n] : nodes.by_id()) {
    if (!n->reservations.empty()) reopen(*n);
  }
  while (!blocked_classes.empty()) wake_class(*blocked_classes.back());
}

}  // namespace tenon::internal
