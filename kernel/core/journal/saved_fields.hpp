// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The fields of a saved state, by the rules of fields.hpp. A field that is no note is refused by builds without it.
#pragma once

#include "journal/command_fields.hpp"
#include "tenon/kernel/saved_state.hpp"

namespace tenon::journal {

template <>
inline constexpr object_state last_of<object_state> = object_state::stopped;
template <>
inline constexpr node_state last_of<node_state> = node_state::removed;
template <>
inline constexpr application_state last_of<application_state> = application_state::resuming;
template <>
inline constexpr rm_state last_of<rm_state> = rm_state::stopped;
template <>
inline constexpr ask_state last_of<ask_state> = ask_state::released;
template <>
inline constexpr allocation_state last_of<allocation_state> = allocation_state::released;

template <class IO>
void fields(IO &io, ref<IO, saved_amount> f) {
  io(1, "type", f.type);
  io(2, "amount", f.amount);
}
template <class IO>
void fields(IO &io, ref<IO, saved_pair> f) {
  io(1, "key", f.key);
  io(2, "value", f.value);
}
template <class IO>
void fields(IO &io, ref<IO, saved_devices> f) {
  io(1, "type", f.type);
  io(2, "amount", f.amount);
  io(3, "devices", f.devices);
}
template <class IO>
void fields(IO &io, ref<IO, saved_decay::series> f) {
  io(1, "value", f.value);
  io(2, "used", f.used);
}
template <class IO>
void fields(IO &io, ref<IO, saved_decay> f) {
  io(1, "half_life", f.half_life);
  io(2, "changed_ms", f.changed_ms);
  io(3, "has", f.has);
  io(4, "by_type", f.by_type);
}
template <class IO>
void fields(IO &io, ref<IO, saved_policy> f) {
  io(1, "name", f.name);
  io(2, "is_bound", f.is_bound, true);
  io(3, "faulty", f.faulty);
}
template <class IO>
void fields(IO &io, ref<IO, saved_acl> f) {
  io(1, "all", f.all);
  io(2, "users", f.users);
  io(3, "groups", f.groups);
  io(4, "ignored", f.ignored);
}
template <class IO>
void fields(IO &io, ref<IO, saved_queue> f) {
  io(1, "name", f.name);
  io(2, "parent", f.parent, not_saved);
  io(3, "leaf", f.leaf);
  io(4, "managed", f.managed, true);
  io(5, "sequence", f.sequence);
  io(6, "state", f.state);
  io(7, "guaranteed", f.guaranteed);
  io(8, "max", f.max);
  io(9, "max_applications", f.max_applications);
  io(10, "submit_acl", f.submit_acl);
  io(11, "admin_acl", f.admin_acl);
  io(12, "child_template", f.child_template);
  io(13, "limits", f.limits);
  io(14, "own_properties", f.own_properties);
  io(15, "properties", f.properties);
  io(16, "prepared", f.prepared);
  io(17, "decayed", f.decayed);
  io(18, "order", f.order);
  io(19, "quota_runs", f.quota_runs);
  io(20, "quota_armed_ms", f.quota_armed_ms);
  io(21, "quota_delay_ms", f.quota_delay_ms);
}
template <class IO>
void fields(IO &io, ref<IO, saved_node> f) {
  io(1, "id", f.id);
  io(2, "state", f.state, node_state::schedulable);
  io(3, "capacity", f.capacity);
  io(4, "occupied", f.occupied);
  io(5, "attributes", f.attributes);
}
template <class IO>
void fields(IO &io, ref<IO, saved_need::split> f) {
  io(1, "type", f.type);
  io(2, "count", f.count);
  io(3, "amount", f.amount);
}
template <class IO>
void fields(IO &io, ref<IO, saved_need> f) {
  io(1, "amounts", f.amounts);
  io(2, "devices", f.devices);
  io(3, "required_node", f.required_node);
}
template <class IO>
void fields(IO &io, ref<IO, saved_application::stage> f) {
  io(1, "at_ms", f.at_ms);
  io(2, "state", f.state);
}
template <class IO>
void fields(IO &io, ref<IO, saved_application> f) {
  io(1, "id", f.id);
  io(2, "user", f.user);
  io(3, "queue", f.queue, not_saved);
  io(4, "groups", f.groups);
  io(5, "tags", f.tags);
  io(6, "state", f.state);
  io(7, "log", f.log);
  io(8, "submission", f.submission);
  io(9, "ended", f.ended);
  io(10, "submitted_ms", f.submitted_ms);
  io(11, "started_ms", f.started_ms);
  io(12, "finished_ms", f.finished_ms);
  io(13, "said_creation_ms", f.said_creation_ms);
  io(14, "execution_timeout_ms", f.execution_timeout_ms);
  io(15, "placeholder_ask", f.placeholder_ask);
  io(16, "hard_gang", f.hard_gang);
  io(17, "direct_running", f.direct_running);
  io(18, "independent", f.independent);
  io(19, "counted", f.counted);
  io(20, "place", f.place);
  io(21, "first_bind_ms", f.first_bind_ms, INT64_MAX);
  io(22, "prepared", f.prepared);
  io(23, "decayed", f.decayed);
  io(24, "chosen_order", f.chosen_order);
  io(25, "in_canary", f.in_canary);
  io(26, "submitted_queue", f.submitted_queue);
  io(27, "message", f.message);
  io(28, "placeholders", f.placeholders);
}
template <class IO>
void fields(IO &io, ref<IO, saved_application::ended_placeholders> f) {
  io(1, "task_group", f.task_group);
  io(2, "replaced", f.replaced);
  io(3, "timed_out", f.timed_out);
}
template <class IO>
void fields(IO &io, ref<IO, saved_ask::refused_node> f) {
  io(1, "node", f.node);
  io(2, "reason", f.reason);
  io(3, "failed_starts", f.failed_starts);
  io(4, "until_ms", f.until_ms);
}
template <class IO>
void fields(IO &io, ref<IO, saved_ask> f) {
  io(1, "application", f.application);
  io(2, "key", f.key);
  io(3, "need", f.need);
  io(4, "priority", f.priority);
  io(5, "max_allocations", f.max_allocations);
  io(6, "placed", f.placed);
  io(7, "state", f.state);
  io(8, "placeholder", f.placeholder);
  io(9, "originator", f.originator);
  io(10, "preempt_self", f.preempt_self, true);
  io(11, "preempt_other", f.preempt_other);
  io(12, "is_refused", f.is_refused);
  io(13, "told", f.told);
  io(14, "arrival", f.arrival);
  io(15, "create_time_ms", f.create_time_ms);
  io(16, "execution_timeout_ms", f.execution_timeout_ms);
  io(17, "tags", f.tags);
  io(18, "task_group", f.task_group);
  io(19, "waits", f.waits);
  io(20, "reserve_from_ms", f.reserve_from_ms, INT64_MIN);
  io(21, "preempt_from_ms", f.preempt_from_ms, INT64_MIN);
  io(22, "refusals", f.refusals);
}
template <class IO>
void fields(IO &io, ref<IO, saved_allocation> f) {
  io(1, "ask", f.ask);
  io(2, "node", f.node);
  io(3, "need", f.need);
  io(4, "sequence", f.sequence);
  io(5, "state", f.state);
  io(6, "priority", f.priority);
  io(7, "placeholder", f.placeholder);
  io(8, "originator", f.originator);
  io(9, "preempt_self", f.preempt_self, true);
  io(10, "bound", f.bound);
  io(11, "replaced", f.replaced);
  io(12, "create_time_ms", f.create_time_ms);
  io(13, "bind_time_ms", f.bind_time_ms);
  io(14, "placeholder_created_ms", f.placeholder_created_ms);
  io(15, "task_group", f.task_group);
  io(16, "devices", f.devices);
}
template <class IO>
void fields(IO &io, ref<IO, saved_foreign> f) {
  io(1, "key", f.key);
  io(2, "node", f.node);
  io(3, "need", f.need);
  io(4, "state", f.state);
  io(5, "priority", f.priority);
  io(6, "create_time_ms", f.create_time_ms);
  io(7, "bind_time_ms", f.bind_time_ms);
  io(8, "devices", f.devices);
  io(9, "tags", f.tags);
}
template <class IO>
void fields(IO &io, ref<IO, saved_terms> f) {
  io(1, "need", f.need, not_saved);
  io(2, "priority", f.priority);
  io(3, "originator", f.originator);
  io(4, "preempt_self", f.preempt_self, true);
  io(5, "bound", f.bound);
  io(6, "create_time_ms", f.create_time_ms);
  io(7, "execution_timeout_ms", f.execution_timeout_ms);
  io(8, "task_group", f.task_group);
}
template <class IO>
void fields(IO &io, ref<IO, saved_replacement> f) {
  io(1, "placeholder", f.placeholder);
  io(2, "real", f.real);
  io(3, "node", f.node);
  io(4, "number", f.number);
  io(5, "devices", f.devices);
  io(6, "terms", f.terms);
}
template <class IO>
void fields(IO &io, ref<IO, saved_proposal> f) {
  io(1, "application", f.application);
  io(2, "number", f.number);
  io(3, "made", f.made, not_saved);
  io(4, "instead", f.instead, not_saved);
  io(5, "execution_timeout_ms", f.execution_timeout_ms);
  io(6, "armed", f.armed);
  io(7, "has_deadline", f.has_deadline);
  io(8, "reserved", f.reserved);
}
template <class IO>
void fields(IO &io, ref<IO, saved_reservation> f) {
  io(1, "ask", f.ask);
  io(2, "node", f.node);
  io(3, "sequence", f.sequence);
  io(4, "freed", f.freed);
  io(5, "empties", f.empties);
  io(6, "of_gang", f.of_gang);
}
template <class IO>
void fields(IO &io, ref<IO, saved_claim> f) {
  io(1, "ask", f.ask);
  io(2, "victims", f.victims);
}
template <class IO>
void fields(IO &io, ref<IO, saved_end> f) {
  io(1, "allocation_sequence", f.allocation_sequence);
  io(2, "at_ms", f.at_ms);
}
template <class IO>
void fields(IO &io, ref<IO, saved_canary_tally::side> f) {
  io(1, "placed", f.placed);
  io(2, "waited_ms", f.waited_ms);
}
template <class IO>
void fields(IO &io, ref<IO, saved_canary_tally> f) {
  io(1, "faults", f.faults);
  io(2, "its", f.its);
  io(3, "others", f.others);
  io(4, "placed", f.placed);
  io(5, "longer", f.longer);
  io(6, "its_next", f.its_next);
  io(7, "others_next", f.others_next);
}
template <class IO>
void fields(IO &io, ref<IO, saved_shapes::shape> f) {
  io(1, "amounts", f.amounts);
  io(2, "tags", f.tags);
  io(3, "count", f.count);
}
template <class IO>
void fields(IO &io, ref<IO, saved_shapes::seen_key> f) {
  io(1, "key", f.key);
  io(2, "tags", f.tags);
  io(3, "values", f.values);
  io(4, "totals", f.totals);
}
template <class IO>
void fields(IO &io, ref<IO, saved_shapes> f) {
  io(1, "followed", f.followed);
  io(2, "keys", f.keys);
  io(3, "counted", f.counted);
  io(4, "asks", f.asks);
  io(5, "length", f.length);
  io(6, "counts", f.counts);
  io(7, "amounts", f.amounts);
  io(8, "seen_keys", f.seen_keys);
}
template <class IO>
void fields(IO &io, ref<IO, saved_inspection::limit> f) {
  io(1, "queue", f.queue);
  io(2, "user", f.user);
  io(3, "group", f.group);
  io(4, "amounts", f.amounts);
}
template <class IO>
void fields(IO &io, ref<IO, saved_inspection> f) {
  io(1, "leaves", f.leaves);
  io(2, "submission", f.submission);
  io(3, "application", f.application);
  io(4, "is_within", f.is_within);
  io(5, "priority", f.priority);
  io(6, "create_time_ms", f.create_time_ms);
  io(7, "arrival", f.arrival);
  io(8, "first_of", f.first_of);
  io(9, "first_key", f.first_key);
  io(10, "taken", f.taken);
}
template <class IO>
void fields(IO &io, ref<IO, saved_stops> f) {
  io(1, "name", f.name);
  io(2, "partition", f.partition);
  io(3, "queues", f.queues);
  io(4, "nodes", f.nodes);
}
template <class IO>
void fields(IO &io, ref<IO, saved_partition> f) {
  io(1, "rm", f.rm);
  io(2, "name", f.name);
  io(3, "number", f.number);
  io(4, "check_deadline_ms", f.check_deadline_ms);
  io(5, "state", f.state);
  io(6, "paused", f.paused);
  io(7, "since_ms", f.since_ms);
  io(8, "config", f.config);
  io(9, "priority_classes", f.priority_classes);
  io(10, "types", f.types);
  io(11, "queue_orders", f.queue_orders);
  io(12, "application_orders", f.application_orders);
  io(13, "chosen_orders", f.chosen_orders);
  io(14, "node_order_faulty", f.node_order_faulty);
  io(15, "has_canary", f.has_canary);
  io(16, "canary_faulty", f.canary_faulty);
  io(17, "canary_why", f.canary_why);
  io(18, "canary_since_ms", f.canary_since_ms);
  io(19, "needs", f.needs);
  io(20, "queues", f.queues);
  io(21, "nodes", f.nodes);
  io(22, "applications", f.applications);
  io(23, "asks", f.asks);
  io(24, "allocations", f.allocations);
  io(25, "foreign", f.foreign);
  io(26, "replacements", f.replacements);
  io(27, "proposals", f.proposals);
  io(28, "delivered_to", f.delivered_to);
  io(29, "claims", f.claims);
  io(30, "reservations", f.reservations);
  io(31, "held_off", f.held_off);
  io(32, "ends", f.ends);
  io(33, "next_submission", f.next_submission, 1);
  io(34, "next_end", f.next_end, 1);
  io(35, "next_arrival", f.next_arrival, 1);
  io(36, "next_allocation", f.next_allocation, 1);
  io(37, "next_queue", f.next_queue, 1);
  io(38, "next_reservation", f.next_reservation, 1);
  io(39, "canary_tally", f.canary_tally);
  io(40, "shapes", f.shapes);
  io(41, "epoch", f.epoch);
  io(42, "stops", f.stops);
  io(43, "inspection", f.inspection);
}
template <class IO>
void fields(IO &io, ref<IO, saved_timer> f) {
  io(1, "kind", f.kind);
  io(2, "partition", f.partition);
  io(3, "due_ms", f.due_ms);
  io(4, "object", f.object);
  io(5, "number", f.number);
}
template <class IO>
void fields(IO &io, ref<IO, saved_rm> f) {
  io(1, "id", f.id);
  io(2, "state", f.state);
  io(3, "check_deadline_ms", f.check_deadline_ms);
  io(4, "epoch", f.epoch);
  io(5, "stops", f.stops);
}
template <class IO>
void fields(IO &io, ref<IO, saved_state> f) {
  io(1, "rms", f.rms);
  io(2, "partitions", f.partitions);
  io(3, "timers", f.timers);
  io(4, "partitions_made", f.partitions_made);
  io(5, "next_decision", f.next_decision, 1);
}

}  // namespace tenon::journal
