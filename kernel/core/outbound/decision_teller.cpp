// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "outbound/decision_teller.hpp"

#include <algorithm>

namespace tenon::internal {
namespace {

// Of a proposal to put the ask in the place of a placeholder; it may have been undone since.
void describe_replacement(const ask &a, uint64_t number, placement_view &out) {
  const std::vector<proposal> &all = a.owner->proposals;
  const auto p = std::find_if(all.begin(), all.end(), [&](const proposal &one) { return one.number == number; });
  if (p == all.end() || p->instead == nullptr) return;
  out.replaces = p->instead->placeholder->sequence;
  out.replaces_key = p->instead->placeholder->key();
  out.in_place = !p->instead->elsewhere();
}

// What an allocation that is to be released ends as.
termination end_by(allocation_event event) {
  switch (event) {
    case allocation_event::timeout:
      return termination::timeout;
    case allocation_event::preempt:
      return termination::preempted_by_scheduler;
    case allocation_event::replace:
      return termination::placeholder_replaced;
    default:
      return termination::unknown;
  }
}

}  // namespace

decision_view &decision_teller::emit(const decided_what &what, const application &app) {
  decision_view &d = emit(what);
  d.application = app.id;
  d.queue = app.home != nullptr ? std::string_view(app.home->path) : std::string_view(app.submitted_queue);
  return d;
}

decision_view &decision_teller::emit(const decided_what &what, const ask &a) {
  decision_view &d = emit(what);
  d.placeholder = a.placeholder;
  d.application = a.owner->id;
  d.key = a.key;
  d.queue = a.owner->home->path;
  d.source = this;
  d.subject = &a;
  return d;
}

decision_view &decision_teller::emit(const decided_what &what, const allocation &a) {
  decision_view &d = emit(what);
  d.placeholder = a.placeholder;
  d.allocation_sequence = a.sequence;
  d.application = a.owner->id;
  d.key = a.key();
  d.node = a.where->id;
  d.queue = a.owner->home->path;
  d.source = this;
  d.subject = &a;
  d.about_allocation = true;
  return d;
}

void decision_teller::emit_released(const allocation &a, termination end, const reason &why) {
  emit(decided::released{end, why, devices.text_of(a.devices)}, a);
}

void decision_teller::emit(const decided_what &what, const reservation &r) { emit(what, *r.of).node = r.where->id; }

std::string_view decision_teller::devices_of(const proposal &p) const {
  return devices.text_of(p.made != nullptr ? p.made->devices : p.instead->devices);
}

void decision_teller::emit(const decided_what &what, const proposal &p) {
  if (p.made != nullptr) {
    emit(what, *p.made);
    return;
  }
  decision_view &d = emit(what, *p.instead->real);
  d.allocation_sequence = p.number;
  d.node = p.instead->where->id;
}

// -- Of changes. --

void decision_teller::write(const proposal_made &c) {
  const replacement *instead = c.what.instead;
  const std::string_view in_place_of = instead == nullptr ? std::string_view{} : instead->placeholder->key();
  emit(decided::proposed{in_place_of, devices_of(c.what)}, c.what);
}

void decision_teller::write(const proposal_ended &c) {
  if (c.why != nullptr) emit(decided::undone{*c.why, devices_of(c.what)}, c.what);
}

void decision_teller::write(const allocation_moved &c) {
  if (c.why != nullptr) emit_released(c.of, end_by(c.by), *c.why);
}

void decision_teller::write(const ask_withdrawn &c) {
  if (c.told != nullptr) emit(decided::ask_released{c.end, *c.told}, c.of);
}

// Nobody knows of the applications that are made for asks without one.
void decision_teller::write(const application_entered &c) {
  if (!c.of.independent) emit(decided::application_state{c.of.state, keep(c.of.message)}, c.of);
}

void decision_teller::write(const node_moved &c) {
  if (c.from == node_state::absent) emit(decided::node_accepted{}).node = c.of.id;
}

bool decision_teller::describe(const decision_view &d, placement_view &out) {
  placement_view fresh;
  fresh.resources.swap(out.resources);  // for their memory
  fresh.tags.swap(out.tags);
  out = std::move(fresh);
  out.resources.clear();
  out.tags.clear();
  const auto *from = static_cast<const decision_teller *>(d.source);
  if (from == nullptr) return false;
  const auto *x = d.about_allocation ? static_cast<const allocation *>(d.subject) : nullptr;
  const ask &a = x != nullptr ? *x->from : *static_cast<const ask *>(d.subject);
  for_each_type(from->classes[x != nullptr ? x->class_id : a.class_id].need, [&](type_index t, int64_t amount) {
    out.resources.push_back({from->types.name(t), amount});
  });
  for (const auto &[key, value] : a.tags()) out.tags.push_back({key, value});
  const task_group *gang = x != nullptr ? x->gang : a.gang;
  out.priority = x != nullptr ? x->priority : a.priority;
  const std::string *named = a.priority_class();
  out.priority_class = named != nullptr ? std::string_view(*named) : std::string_view{};
  out.task_group = gang != nullptr ? gang->name : std::string_view{};
  out.required_node = from->classes[a.class_id].required_node;
  out.placeholder = d.placeholder;
  out.originator = x != nullptr ? x->originator : a.originator;
  out.allow_preempt_self = x != nullptr ? x->preempt_self : a.preempt_self;
  out.allow_preempt_other = a.preempt_other;
  out.max_allocations = a.max_allocations;
  out.create_time_ms = x != nullptr ? x->create_time_ms : a.create_time_ms;
  out.bind_time_ms = x != nullptr ? x->bind_time_ms : 0;
  out.execution_timeout_ms = a.execution_timeout_ms();
  if (d.is(decision_kind::proposed) && x == nullptr) describe_replacement(a, d.allocation_sequence, out);
  return true;
}

}  // namespace tenon::internal
