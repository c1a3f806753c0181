// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "queueing/ask_alarms.hpp"

#include <algorithm>
#include <utility>

#include "core.hpp"
#include "model/gang_reservations.hpp"
#include "model/gang_start.hpp"
#include "queueing/ask_lines.hpp"
#include "queueing/preemption_times.hpp"
#include "queueing/reserved_line.hpp"

namespace tenon::internal {

void ask_alarms::join(ask &a, leaf_class &u) {
  if (u.parked != parking::none || a.group->parked_on_nodes) return set(a);
  a.after_untimed = u.first_untimed;
  if (u.first_untimed != no_ask) asks[u.first_untimed].before_untimed = a.index;
  u.first_untimed = a.index;
}

bool ask_alarms::is_untimed(const ask &a) {
  return a.before_untimed != no_ask || a.group->unit->first_untimed == a.index;
}

void ask_alarms::leave(ask &a) {
  leaf_class &u = *a.group->unit;
  a.alarm = 0;
  if (!is_untimed(a)) return;
  (a.before_untimed != no_ask ? asks[a.before_untimed].after_untimed : u.first_untimed) = a.after_untimed;
  if (a.after_untimed != no_ask) asks[a.after_untimed].before_untimed = a.before_untimed;
  a.before_untimed = a.after_untimed = no_ask;
}

void ask_alarms::set_all(leaf_class &u) {
  uint32_t next = std::exchange(u.first_untimed, no_ask);
  while (next != no_ask) {  // what has its chance already goes to another unit, and may be the last of this one
    ask &a = asks[next];
    next = a.after_untimed;
    a.before_untimed = a.after_untimed = no_ask;
    set(a);
  }
}

unit_kind ask_alarms::kind_for(const ask &a) const {
  if (preempts.of(a) <= clock.now_ms()) return unit_kind::preempts;
  return reserved.reserves_at(a) <= clock.now_ms() ? unit_kind::reserves : unit_kind::plain;
}

// When time alone lets it do what it could not do where it stands; INT64_MAX: never.
int64_t ask_alarms::next_chance(const ask &a) const {
  switch (a.line) {
    case ask_line::run:
      switch (a.group->unit->kind) {
        case unit_kind::plain:
          return std::min(reserved.reserves_at(a), preempts.of(a));
        case unit_kind::reserves:
          return preempts.of(a);
        case unit_kind::preempts:
        case unit_kind::reserved:
        case unit_kind::waits_in_order:
          return INT64_MAX;
      }
      return INT64_MAX;
    case ask_line::reserved:
      return std::min(preempts.of(a), starts_again_at(a, clock.now_ms()));
    case ask_line::refused: {
      // What it could do already it did not do when it was looked at.
      int64_t out = starts_again_at(a, clock.now_ms());
      for (const int64_t at : {reserved.reserves_at(a), preempts.of(a), reserved.reserves_for_gang_at(a)}) {
        if (at > clock.now_ms()) out = std::min(out, at);
      }
      return out;
    }
    default:
      return INT64_MAX;
  }
}

void ask_alarms::set(ask &a) {
  const int64_t at = next_chance(a);
  if (at == INT64_MAX) return;
  if (at <= clock.now_ms()) return rang(a);
  a.alarm = clock.next_epoch();
  clock.arm(at, timer_kind::ask_alarm, a.index, a.alarm);
}

namespace {

// It has its turn at once: it does not wait with other asks of its class.
bool goes_with_gang(const ask &a) { return a.placeholder && begins_whole(*a.owner) && !is_held_with_gang(a); }

}  // namespace

void ask_alarms::rang(ask &a) {
  a.alarm = 0;
  switch (a.line) {
    case ask_line::run:
      return lines.move_to(a, goes_with_gang(a) ? unit_kind::preempts : kind_for(a));
    case ask_line::reserved: {
      reservation &r = *a.wait->held;
      r.due = preempts.of(a) <= clock.now_ms();
      reserved.retry(r);
      if (!r.due) return set(a);
      return reserved.refresh(r);
    }
    case ask_line::refused:
      return lines.line_up_again(a);
    default:
      return;
  }
}

void ask_alarms::chance_changed(ask &a) {
  if (a.line == ask_line::run) return lines.move_to(a, a.group->unit->kind);
  set(a);
}

void ask_alarms::reconsider(ask &a) {
  if (a.line == ask_line::run) {
    if (is_reserved(a.group->unit->kind)) return;  // it waits with a gang for which nodes are reserved
    const unit_kind kind = goes_with_gang(a) ? unit_kind::preempts : unit_kind::plain;
    if (!is_untimed(a) || a.group->unit->kind != kind) lines.move_to(a, kind);
    return;
  }
  a.alarm = 0;
  set(a);
}

}  // namespace tenon::internal
