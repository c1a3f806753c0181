// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "outbound/fact_teller.hpp"

#include <map>
#include <utility>

#include "model/victims.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {
namespace {

// Why the listener knows an application to be held.
constexpr uint8_t held_by_queue = 1, held_by_quota = 2;

constexpr int64_t quiet_ms = 15'000;  // an ask says no oftener why no node will do

// Why it goes, as far as it was decided.
termination end_of(const allocation &a) {
  switch (a.state) {
    case allocation_state::expiring:
      return termination::timeout;
    case allocation_state::preempting:
      return termination::preempted_by_scheduler;
    case allocation_state::replacing:
      return termination::placeholder_replaced;
    default:
      return termination::stopped_by_rm;
  }
}

}  // namespace

void fact_teller::tell(fact &what) const {
  what.now_ms = shared.now_ms;
  what.partition = partition_name;
  what.types = &types;
  shared.listener->take(what);
}

fact fact_teller::fact_of(fact_kind kind, const application &app) const {
  fact out;
  out.kind = kind;
  out.application = app.id;
  out.queue = app.home != nullptr ? std::string_view(app.home->path) : std::string_view(app.submitted_queue);
  out.user = app.user;
  out.group = app.group;
  out.state = app.state;
  return out;
}

fact fact_teller::fact_of(fact_kind kind, const ask &a) const {
  fact out = fact_of(kind, *a.owner);
  out.key = a.key;
  out.amounts = &classes[a.class_id].need;
  return out;
}

void fact_teller::tell(fact_kind kind, const application &app, std::string_view text, bool flag) const {
  fact out = fact_of(kind, app);
  out.text = text;
  out.flag = flag;
  tell(out);
}

void fact_teller::tell(fact_kind kind, const ask &a, termination why) const {
  fact out = fact_of(kind, a);
  out.why = why;
  tell(out);
}

void fact_teller::tell(fact_kind kind, const allocation &a, bool node_gone, const resources *before) const {
  fact out;
  if (a.owner != nullptr) out = fact_of(kind, *a.owner);
  out.kind = kind;
  if (kind == fact_kind::allocation_removed) out.why = end_of(a);
  out.flag = node_gone;
  out.allocation_sequence = a.sequence;
  out.key = a.key();
  out.node = a.where->id;
  out.amounts = &classes[a.class_id].need;
  out.available = before;
  tell(out);
}

void fact_teller::tell_node(fact_kind kind, std::string_view node_id, const resources *amounts, bool flag,
                            std::string_view text) const {
  fact out;
  out.kind = kind;
  out.node = node_id;
  out.amounts = amounts;
  out.flag = flag;
  out.text = text;
  tell(out);
}

void fact_teller::tell(fact_kind kind, const reservation &r) const {
  fact out = fact_of(kind, *r.of);
  out.node = r.where->id;
  tell(out);
}

void fact_teller::tell(fact_kind kind, const queue &q, const resources *amounts, bool flag,
                       std::string_view text) const {
  fact out;
  out.kind = kind;
  out.queue = q.path;
  out.amounts = amounts;
  out.flag = flag;
  out.text = text;
  tell(out);
}

void fact_teller::tell_move(fact_kind kind, const application &app, const queue &here, const queue &other) const {
  fact out = fact_of(kind, app);
  out.queue = here.path;
  out.other_queue = other.path;
  tell(out);
}

// -- Refusals. --

void fact_teller::tell_rejected(const tenon::add_application &c, std::string_view why) const {
  if (!listened()) return;
  fact out;
  out.kind = fact_kind::application_rejected;
  out.application = c.application;
  out.queue = c.queue;
  out.user = c.user;
  out.text = why;
  tell(out);
}

void fact_teller::tell_rejected(fact_kind what, std::string_view node_id, std::string_view why) const {
  if (!listened()) return;
  tell_node(what, node_id, nullptr, false, why);
}

// -- Of changes. --

// Once it is there it has what it waited for.
void fact_teller::write(const ask_moved &c) const {
  if (c.by == ask_event::accept) tell(fact_kind::ask_added, c.of);
  if (c.by == ask_event::place || c.by == ask_event::place_last) tell_fits(c.of);
}

void fact_teller::write(const application_entered &c) const {
  tell_held(c.of, false, false);
  tell(fact_kind::application_state, c.of, c.of.message);
}

// Whatever held it there holds it no more.
void fact_teller::write(const application_going &c) const {
  tell_held(c.of, false, false);
  tell_move(fact_kind::application_moved_out, c.of, *c.of.home, c.to);
}

void fact_teller::write(const application_left &c) const {
  fact out = fact_of(fact_kind::application_left, c.of);
  out.queue = c.from.path;
  tell(out);
}

void fact_teller::write(const application_grouped &c) const {
  if (c.before == c.now) return;
  const application &app = c.of;
  resources used = app.allocated;
  used += app.placeholders;
  const auto tell_of = [&](const std::string &group, bool comes) {
    if (group.empty()) return;
    fact out = fact_of(comes ? fact_kind::group_linked : fact_kind::group_unlinked, app);
    out.group = group;
    tell(out);
    if (is_zero(used)) return;
    out.kind = fact_kind::group_usage;
    out.flag = comes;
    out.amounts = &used;
    tell(out);
  };
  tell_of(c.before, false);
  tell_of(c.now, true);
}

void fact_teller::write(const use_moved &c) const {
  fact out = fact_of(fact_kind::user_usage, c.of);
  out.flag = c.comes;
  out.amounts = &c.amount;
  tell(out);
}

void fact_teller::write(const allocation_resized &c) const {
  if (classes[c.class_id].need != c.before) tell(fact_kind::allocation_resized, c.of, false, &c.before);
}

void fact_teller::write(const allocation_leaving &c) const {
  tell(c.of.foreign ? fact_kind::foreign_removed : fact_kind::allocation_removed, c.of,
       c.by == allocation_event::node_removed);
}

void fact_teller::write(const allocation_preempted &c) const {
  const allocation &victim = c.of;
  fact out = fact_of(fact_kind::preempted, *victim.owner);
  out.key = victim.key();
  out.node = victim.where->id;
  out.allocation_sequence = victim.sequence;
  if (c.by != nullptr) {
    out.other_key = c.by->key;
    out.other_application = c.by->owner->id;
    out.other_queue = c.by->owner->home->path;
  } else if (c.over != nullptr) {
    out.other_queue = c.over->path;
  }
  tell(out);
}

void fact_teller::write(const placeholder_outgrown &c) const {
  const allocation &placeholder = c.of;
  fact out = fact_of(fact_kind::placeholder_small, *placeholder.owner);
  out.key = placeholder.key();
  out.node = placeholder.where->id;
  out.allocation_sequence = placeholder.sequence;
  out.text = placeholder.gang->name;
  out.other_key = c.by.key;
  out.amounts = &classes[c.by.class_id].need;
  out.available = &classes[placeholder.class_id].need;
  tell(out);
}

void fact_teller::write(const node_moved &c) const {
  const node &n = c.of;
  const bool comes = c.from == node_state::absent;
  if (comes) tell_node(fact_kind::node_added, n.id, &*n.capacity);
  const bool schedulable_before = comes || c.from == node_state::schedulable;
  if (n.state != node_state::removed && n.schedulable() != schedulable_before)
    tell_node(fact_kind::node_schedulable, n.id, nullptr, n.schedulable());
  if (comes && !n.occupied->empty()) tell_node(fact_kind::node_occupied, n.id, &*n.occupied);
}

// With its first state it is all told.
void fact_teller::write(const capacity_set &c) const {
  if (c.of.state != node_state::absent) tell_node(fact_kind::node_capacity, c.of.id, &c.to);
}

void fact_teller::write(const occupied_set &c) const {
  if (c.of.state != node_state::absent) tell_node(fact_kind::node_occupied, c.of.id, &c.to);
}

void fact_teller::write(const queue_resized &c) const {
  const queue &q = c.of;
  if (q.max != c.max_before && q.parent != nullptr) tell(fact_kind::queue_max, q, &q.max);
  if (q.guaranteed != c.guaranteed_before) tell(fact_kind::queue_guaranteed, q, &q.guaranteed);
}

void fact_teller::write(const quota_enforced &c) const {
  std::string text = std::to_string(c.victims) + " allocations are released";
  if (stays_above_max(c.of)) text += "; the queue stays above its max, because nothing else in it may be preempted";
  tell(fact_kind::queue_quota, c.of, &c.of.max, false, text);
}

void fact_teller::write(const queue_limited &c) const {
  const queue &q = c.of;
  using named_limits = std::map<std::pair<bool, std::string>, const limit_config *>;  // group?, name
  const auto by_name = [](const std::vector<limit_config> &all) {
    named_limits out;
    for (const limit_config &limit : all) {
      for (const std::string &user : limit.users) out.emplace(std::pair(false, user), &limit);
      for (const std::string &group : limit.groups) out.emplace(std::pair(true, group), &limit);
    }
    return out;
  };
  const named_limits was = by_name(c.before), is = by_name(q.limits.all());
  const auto tell_of = [&](const std::pair<bool, std::string> &whom, const limit_config &limit, bool set) {
    fact out;
    out.kind = whom.first ? fact_kind::group_limit : fact_kind::user_limit;
    (whom.first ? out.group : out.user) = whom.second;
    out.queue = q.path;
    out.flag = set;
    resources max;
    for (const auto &[type, amount] : limit.max_resources) max.set(types.find(type), amount);
    if (set) out.amounts = &max;
    tell(out);
  };
  for (const auto &[whom, limit] : was) {
    if (!is.contains(whom)) tell_of(whom, *limit, false);
  }
  for (const auto &[whom, limit] : is) {
    const auto old = was.find(whom);
    if (old == was.end() || old->second->max_resources != limit->max_resources ||
        old->second->max_applications != limit->max_applications)
      tell_of(whom, *limit, true);
  }
}

void fact_teller::write(const canary_returned &c) const {
  fact out;
  out.kind = fact_kind::canary_back;
  out.text = c.why;
  tell(out);
}

// -- What waits. --

void fact_teller::tell_over(ask &a, ask_limit which, const resources &available) const {
  a.told_over_ |= static_cast<uint8_t>(which);
  fact out = fact_of(which == ask_limit::queue ? fact_kind::ask_over_queue : fact_kind::ask_over_quota, a);
  out.available = &available;
  tell(out);
}

void fact_teller::tell_fits(ask &a, ask_limit which) const {
  a.told_over_ &= static_cast<uint8_t>(~static_cast<uint8_t>(which));
  fact out = fact_of(which == ask_limit::queue ? fact_kind::ask_fits_queue : fact_kind::ask_fits_quota, a);
  tell(out);
}

void fact_teller::tell_fits(ask &a) const {
  if (!listened()) return;
  for (const ask_limit which : {ask_limit::quota, ask_limit::queue}) {
    if (is_known_over(a, which)) tell_fits(a, which);
  }
}

void fact_teller::tell_held(application &app, bool by_queue, bool by_quota) const {
  if (!listened()) return;
  const uint8_t now = by_queue ? held_by_queue : by_quota ? held_by_quota : 0;
  if (app.told_held_ == now) return;
  const uint8_t before = std::exchange(app.told_held_, now);
  if (before != 0) tell(fact_kind::application_freed, app, {}, before == held_by_quota);
  if (now != 0) tell(fact_kind::application_held, app, {}, now == held_by_quota);
}

bool fact_teller::may_say_why_unplaced(const ask &a) const {
  return listened() && shared.now_ms - quiet_ms >= a.said().told_at_ms_;
}

void fact_teller::tell_unschedulable(ask &a, std::string_view why) const {
  a.details().told_at_ms_ = shared.now_ms;
  fact out = fact_of(fact_kind::ask_unschedulable, a);
  out.text = why;
  tell(out);
}

void fact_teller::tell_time(const application &app, std::string_view key, std::string_view which,
                            int64_t said_ms) const {
  if (!listened() || said_ms <= shared.now_ms) return;
  const std::string text = messages::time_to_come(which, said_ms, shared.now_ms);
  fact out = fact_of(fact_kind::time_to_come, app);
  out.key = key;
  out.text = text;
  tell(out);
}

void fact_teller::tell_without_victims(ask &a, const node &n) const {
  if (!may_say_why_unplaced(a)) return;
  a.details().told_at_ms_ = shared.now_ms;
  fact out = fact_of(fact_kind::ask_without_victims, a);
  out.node = n.id;
  tell(out);
}

}  // namespace tenon::internal
