// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The one list of what readers see: describe(archive, record) names every member of a record once. Archives write it,
// read it or list its keys, so that a member has the same name wherever it is seen.
#pragma once

#include <string_view>
#include <type_traits>

#include "tenon/kernel/explain.hpp"
#include "tenon/kernel/snapshot.hpp"

namespace tenon {

template <class S, class Record>
concept record_like = std::is_same_v<std::remove_const_t<S>, Record>;

// What it is called where only some records are meant.
template <class Record>
inline constexpr std::string_view record_name = "";
template <>
inline constexpr std::string_view record_name<kernel_snapshot> = "state";
template <>
inline constexpr std::string_view record_name<partition_snapshot> = "partition";
template <>
inline constexpr std::string_view record_name<queue_snapshot> = "queue";
template <>
inline constexpr std::string_view record_name<application_snapshot> = "application";
template <>
inline constexpr std::string_view record_name<ask_snapshot> = "ask";
template <>
inline constexpr std::string_view record_name<allocation_snapshot> = "allocation";
template <>
inline constexpr std::string_view record_name<node_snapshot> = "node";
template <>
inline constexpr std::string_view record_name<node_reasons> = "nodes of an explanation";

template <class Archive, record_like<child_template_config> S>
void describe(Archive &a, S &s) {
  a("max_applications", s.max_applications), a("properties", s.properties), a("guaranteed", s.guaranteed),
      a("max", s.max);
}

template <class Archive, record_like<queue_snapshot> S>
void describe(Archive &a, S &s) {
  a("path", s.path), a("state", s.state), a("leaf", s.leaf), a("managed", s.managed), a("allocated", s.allocated),
      a("pending", s.pending), a("preempting", s.preempting), a("guaranteed", s.guaranteed), a("max", s.max),
      a("properties", s.properties), a("running_apps", s.running_apps), a("max_running_apps", s.max_running_apps),
      a("current_priority", s.current_priority), a("headroom", s.headroom), a("child_template", s.child_template),
      a("accepted", s.accepted);
}

template <class Archive, record_like<allocation_snapshot> S>
void describe(Archive &a, S &s) {
  a("key", s.key), a("application", s.application), a("node", s.node), a("sequence", s.sequence),
      a("resources", s.resources), a("priority", s.priority), a("placeholder", s.placeholder),
      a("preempted", s.preempted), a("released", s.released), a("originator", s.originator),
      a("task_group", s.task_group), a("state", s.state), a("create_time_ms", s.create_time_ms),
      a("bind_time_ms", s.bind_time_ms), a("detail", s.detail), a("replaced", s.replaced),
      a("placeholder_created_ms", s.placeholder_created_ms), a("replaced_by", s.replaced_by),
      a("replaced_on", s.replaced_on), a("proposed_as", s.proposed_as), a("foreign", s.foreign),
      a("preemptible", s.preemptible), a("tags", s.tags);
}

template <class Archive, record_like<ask_snapshot> S>
void describe(Archive &a, S &s) {
  a("key", s.key), a("resources", s.resources), a("priority", s.priority), a("pending_count", s.pending_count),
      a("max_allocations", s.max_allocations), a("placeholder", s.placeholder), a("task_group", s.task_group),
      a("required_node", s.required_node), a("create_time_ms", s.create_time_ms), a("state", s.state),
      a("blocker", s.blocker), a("originator", s.originator), a("preempts", s.preempts), a("scales_up", s.scales_up),
      a("tags", s.tags);
}

template <class Archive, record_like<placeholder_snapshot> S>
void describe(Archive &a, S &s) {
  a("task_group", s.task_group), a("count", s.count), a("replaced", s.replaced), a("timed_out", s.timed_out),
      a("size", s.size);
}

template <class Archive, record_like<past_use_snapshot> S>
void describe(Archive &a, S &s) {
  a("what", s.what), a("instance_type", s.instance_type), a("amount_seconds", s.amount_seconds);
}

template <class Archive, record_like<application_snapshot> S>
void describe(Archive &a, S &s) {
  a("id", s.id), a("queue", s.queue), a("user", s.user), a("groups", s.groups), a("state", s.state),
      a("state_log", s.state_log), a("allocated", s.allocated), a("placeholders", s.placeholders),
      a("pending", s.pending), a("asks", s.asks), a("allocations", s.allocations), a("reservations", s.reservations),
      a("placeholder_data", s.placeholder_data), a("message", s.message), a("submitted_ms", s.submitted_ms),
      a("started_ms", s.started_ms), a("finished_ms", s.finished_ms), a("most_allocated", s.most_allocated),
      a("past_use", s.past_use), a("reserved_for", s.reserved_for), a("not_before_ms", s.not_before_ms),
      a("priority", s.priority), a("placeholder_ask", s.placeholder_ask), a("tags", s.tags);
}

template <class Archive, record_like<node_snapshot> S>
void describe(Archive &a, S &s) {
  a("id", s.id), a("schedulable", s.schedulable), a("capacity", s.capacity), a("allocated", s.allocated),
      a("occupied", s.occupied), a("available", s.available), a("devices", s.devices), a("attributes", s.attributes),
      a("allocations", s.allocations), a("reservations", s.reservations), a("foreign", s.foreign);
}

template <class Archive, record_like<usage_snapshot> S>
void describe(Archive &a, S &s) {
  a("name", s.name), a("queue", s.queue), a("usage", s.usage), a("running", s.running), a("max", s.max),
      a("max_applications", s.max_applications);
}

template <class Archive, record_like<canary_limits> S>
void describe(Archive &a, S &s) {
  a("faults", s.faults), a("placements", s.placements), a("waiting_p99_ms", s.waiting_p99_ms),
      a("waiting_factor", s.waiting_factor);
}

template <class Archive, record_like<canary_side> S>
void describe(Archive &a, S &s) {
  a("applications", s.applications), a("placed", s.placed), a("waited_ms", s.waited_ms);
}

template <class Archive, record_like<canary_snapshot> S>
void describe(Archive &a, S &s) {
  a("kind", s.kind), a("policy", s.policy), a("queues", s.queues), a("share", s.share), a("salt", s.salt),
      a("active", s.active), a("why", s.why), a("since_ms", s.since_ms), a("back", s.back), a("faults", s.faults),
      a("canary", s.canary), a("others", s.others);
}

template <class Archive, record_like<partition_snapshot> S>
void describe(Archive &a, S &s) {
  a("name", s.name), a("state", s.state), a("node_sort_policy", s.node_sort_policy), a("capacity", s.capacity),
      a("used", s.used), a("allocations", s.allocations), a("queues", s.queues), a("nodes", s.nodes),
      a("applications", s.applications), a("ended", s.ended), a("users", s.users), a("groups", s.groups), a("rm", s.rm),
      a("plain_name", s.plain_name), a("node_count", s.node_count), a("since_ms", s.since_ms),
      a("preemption", s.preemption), a("quota_preemption", s.quota_preemption), a("weights", s.weights),
      a("application_states", s.application_states), a("pending", s.pending), a("canary", s.canary);
}

template <class Archive, record_like<kernel_snapshot> S>
void describe(Archive &a, S &s) {
  a("now_ms", s.now_ms), a("partitions", s.partitions);
}

template <class Archive, record_like<obstacle> S>
void describe(Archive &a, S &s) {
  a("kind", s.kind), a("queue", s.queue), a("name", s.name), a("group", s.group), a("type", s.type),
      a("asked", s.asked), a("limit", s.limit), a("used", s.used), a("free", s.free), a("short_by", s.short_by),
      a("policy", s.policy), a("until_ms", s.until_ms), a("reason", s.reason), a("text", s.text);
}

template <class Archive, record_like<node_reasons> S>
void describe(Archive &a, S &s) {
  a("nodes", s.nodes), a("fit", s.fit), a("not_schedulable", s.not_schedulable), a("types", s.types),
      a("devices", s.devices), a("predicates", s.predicates), a("refused_by_rm", s.refused);
}

template <class Archive, record_like<change> S>
void describe(Archive &a, S &s) {
  a("kind", s.kind), a("queue", s.queue), a("name", s.name), a("group", s.group), a("type", s.type), a("from", s.from),
      a("to", s.to), a("amounts", s.amounts), a("text", s.text);
}

template <class Archive, record_like<explanation> S>
void describe(Archive &a, S &s) {
  a("partition", s.partition), a("application", s.application), a("key", s.key), a("queue", s.queue),
      a("pending", s.pending), a("asked", s.asked), a("waiting", s.waiting), a("obstacles", s.obstacles),
      a("nodes", s.nodes), a("before", s.before), a("changes", s.changes), a("outcome", s.outcome), a("after", s.after),
      a("holds", s.holds), a("text", s.text);
}

}  // namespace tenon
