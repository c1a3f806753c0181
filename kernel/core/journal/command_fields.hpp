// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The fields of every command: id, name, member, and the value that is left out where it is not the type's zero.
// Writer, reader and the tables of docs/journal.md go by this one list, so a new field is one line.
//
// What a build wrote, every later build reads. An id and its value never change; the next field takes the next id.
// What is left out must mean what there was before the field. A field that this list gives by io() must be
// understood: an older build refuses a journal that has it. One given by io.note() decides nothing, and an older
// build skips it.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "journal/choices.hpp"
#include "journal/field_shapes.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::journal {

struct command_id {
  uint32_t number = 0;  // whatever the command's place in the variant; 15, 16 and 19 were format 3's
  std::string_view name;
};
template <class Command>
struct of {};
constexpr command_id id(of<register_rm>) { return {1, "register_rm"}; }
constexpr command_id id(of<configure>) { return {2, "configure"}; }
constexpr command_id id(of<signal_rm>) { return {3, "signal_rm"}; }
constexpr command_id id(of<add_application>) { return {4, "add_application"}; }
constexpr command_id id(of<remove_application>) { return {5, "remove_application"}; }
constexpr command_id id(of<put_ask>) { return {6, "put_ask"}; }
constexpr command_id id(of<put_allocation>) { return {7, "put_allocation"}; }
constexpr command_id id(of<release>) { return {8, "release"}; }
constexpr command_id id(of<add_node>) { return {9, "add_node"}; }
constexpr command_id id(of<update_node>) { return {10, "update_node"}; }
constexpr command_id id(of<change_node>) { return {11, "change_node"}; }
constexpr command_id id(of<step>) { return {12, "step"}; }
constexpr command_id id(of<advance>) { return {13, "advance"}; }
constexpr command_id id(of<inspect>) { return {14, "inspect"}; }
constexpr command_id id(of<check_answer>) { return {17, "check_answer"}; }
constexpr command_id id(of<check_again>) { return {18, "check_again"}; }
constexpr command_id id(of<change_queue>) { return {20, "change_queue"}; }
constexpr command_id id(of<fail_application>) { return {21, "fail_application"}; }
constexpr command_id id(of<move_application>) { return {22, "move_application"}; }
constexpr command_id id(of<change_partition>) { return {23, "change_partition"}; }
constexpr command_id id(of<checks_delivered>) { return {24, "checks_delivered"}; }
constexpr command_id id(of<change_canary>) { return {25, "change_canary"}; }
template <class Command>
inline constexpr command_id id_of = id(of<Command>{});

template <class T>
inline constexpr bool is_config = std::is_same_v<T, const cluster_config *>;
template <class T>
inline constexpr bool is_number = std::is_integral_v<T> || std::is_enum_v<T>;
template <class T>
inline constexpr bool is_struct = std::is_class_v<T> && !is_span<T> && !is_vector<T> && !is_map<T> && !is_text<T>;

// How values are told apart where nobody knows the field.
enum class wire : uint8_t { number, bits64, bytes };
template <class T>
inline constexpr wire wire_of = is_number<T>                ? wire::number
                                : std::is_same_v<T, double> ? wire::bits64
                                                            : wire::bytes;

// What stands before a field: id, whether it is a note, and the wire.
constexpr uint64_t tag_of(uint32_t id, bool note, wire as) {
  return uint64_t{id} << 3 | uint64_t{note} << 2 | static_cast<uint64_t>(as);
}

template <class IO>
void fields(IO &io, ref<IO, named_amount> f) {
  io(1, "type", f.type);
  io(2, "amount", f.amount);
}
template <class IO>
void fields(IO &io, ref<IO, named_text> f) {
  io(1, "key", f.key);
  io(2, "value", f.value);
}
template <class IO>
void fields(IO &io, ref<IO, policy_fault> f) {
  io(1, "what", f.what);
  io(2, "partition", f.partition);
  io(3, "policy", f.policy);
  io(4, "asks", f.asks);
  io(5, "arrival", f.arrival);
  io(6, "alone", f.alone);
}
template <class IO>
void fields(IO &io, ref<IO, step_answer> f) {
  io(1, "what", f.what);
  io(2, "at", f.at);
  io(3, "ok", f.ok);
  io(4, "fault", f.fault);
  io(5, "text", f.text);
}
template <class IO>
void fields(IO &io, ref<IO, register_rm> f) {
  io(1, "rm", f.rm);
  io.note(2, "version", f.version);
  io.note(3, "policy_group", f.policy_group);
  io(4, "config", f.config);
  io(5, "check_deadline_ms", f.check_deadline_ms);
  io(6, "answers", f.answers);
  io(7, "epoch", f.epoch);
}
template <class IO>
void fields(IO &io, ref<IO, configure> f) {
  io(1, "rm", f.rm);
  io(2, "config", f.config);
  io(3, "answers", f.answers);
}
template <class IO>
void fields(IO &io, ref<IO, signal_rm> f) {
  io(1, "rm", f.rm);
  io(2, "signal", f.signal);
  io(3, "answers", f.answers);
}
template <class IO>
void fields(IO &io, ref<IO, add_application> f) {
  io(1, "partition", f.partition);
  io(2, "application", f.application);
  io(3, "queue", f.queue);
  io(4, "user", f.user);
  io(5, "groups", f.groups);
  io(6, "tags", f.tags);
  io(7, "execution_timeout_ms", f.execution_timeout_ms);
  io(8, "placeholder_ask", f.placeholder_ask);
  io(9, "hard_gang", f.hard_gang);
  io(10, "answers", f.answers);
}
template <class IO>
void fields(IO &io, ref<IO, remove_application> f) {
  io(1, "partition", f.partition);
  io(2, "application", f.application);
  io(3, "answers", f.answers);
}
template <class IO>
void fields(IO &io, ref<IO, put_ask> f) {
  io(1, "partition", f.partition);
  io(2, "application", f.application);
  io(3, "key", f.key);
  io(4, "resources", f.resources);
  io(5, "max_allocations", f.max_allocations, 1);
  io(6, "priority", f.priority);
  io(7, "priority_class", f.priority_class);
  io(8, "execution_timeout_ms", f.execution_timeout_ms);
  io(9, "create_time_ms", f.create_time_ms);
  io(10, "tags", f.tags);
  io(11, "task_group", f.task_group);
  io(12, "required_node", f.required_node);
  io(13, "placeholder", f.placeholder);
  io(14, "originator", f.originator);
  io(15, "allow_preempt_self", f.allow_preempt_self, true);
  io(16, "allow_preempt_other", f.allow_preempt_other);
  io(17, "answers", f.answers);
}
template <class IO>
void fields(IO &io, ref<IO, existing_allocation> f) {
  io(1, "ask", f.ask);
  io(2, "bind_time_ms", f.bind_time_ms);
  io(3, "foreign", f.foreign);
  io(4, "detail", f.detail);
  io(5, "sequence", f.sequence);
  io(6, "apart", f.apart);
}
template <class IO>
void fields(IO &io, ref<IO, put_allocation> f) {
  io(1, "partition", f.partition);
  io(2, "node", f.node);
  io(3, "allocation", f.allocation);
  io(4, "answers", f.answers);
}
template <class IO>
void fields(IO &io, ref<IO, release> f) {
  io(1, "partition", f.partition);
  io(2, "application", f.application);
  io(3, "key", f.key);
  io(4, "allocation_sequence", f.allocation_sequence);
  io(5, "limit", f.limit);
  io(6, "why", f.why);
  io(7, "what", f.what, release_what::both);
  io(8, "answers", f.answers);
}
template <class IO>
void fields(IO &io, ref<IO, add_node> f) {
  io(1, "partition", f.partition);
  io(2, "node", f.node);
  io(3, "capacity", f.capacity);
  io(4, "occupied", f.occupied);
  io(5, "attributes", f.attributes);
  io(6, "schedulable", f.schedulable, true);
  io(7, "existing", f.existing);
  io(8, "answers", f.answers);
}
template <class IO>
void fields(IO &io, ref<IO, update_node> f) {
  io(1, "partition", f.partition);
  io(2, "node", f.node);
  io(3, "capacity", f.capacity);
  io(4, "occupied", f.occupied);
  io(5, "attributes", f.attributes);
  io(6, "has_capacity", f.has_capacity);
  io(7, "has_occupied", f.has_occupied);
  io(8, "has_attributes", f.has_attributes);
  io(9, "answers", f.answers);
}
template <class IO>
void fields(IO &io, ref<IO, change_node> f) {
  io(1, "partition", f.partition);
  io(2, "node", f.node);
  io(3, "event", f.event);
  io(4, "answers", f.answers);
  io(5, "by_administrator", f.by_administrator);
}
template <class IO>
void fields(IO &io, ref<IO, change_partition> f) {
  io(1, "partition", f.partition);
  io(2, "event", f.event);
  io(3, "answers", f.answers);
}
template <class IO>
void fields(IO &io, ref<IO, change_queue> f) {
  io(1, "partition", f.partition);
  io(2, "queue", f.queue);
  io(3, "event", f.event);
  io(4, "answers", f.answers);
}
template <class IO>
void fields(IO &io, ref<IO, change_canary> f) {
  io(1, "partition", f.partition);
  io(2, "turn", f.turn);
  io(3, "text", f.text);
  io(4, "answers", f.answers);
}
template <class IO>
void fields(IO &io, ref<IO, fail_application> f) {
  io(1, "partition", f.partition);
  io(2, "application", f.application);
  io(3, "text", f.text);
  io(4, "answers", f.answers);
}
template <class IO>
void fields(IO &io, ref<IO, move_application> f) {
  io(1, "partition", f.partition);
  io(2, "application", f.application);
  io(3, "queue", f.queue);
  io(4, "answers", f.answers);
}
template <class IO>
void fields(IO &io, ref<IO, step> f) {
  io(1, "partition", f.partition);
  io(2, "max_decisions", f.max_decisions, 1);
  io(3, "answers", f.answers);
}
template <class IO>
void fields(IO &io, ref<IO, advance> f) {
  io(1, "answers", f.answers);
}
template <class IO>
void fields(IO &io, ref<IO, inspect> f) {
  io(1, "partition", f.partition);
  io(2, "answers", f.answers);
  io(3, "most", f.most);
}
template <class IO>
void fields(IO &io, ref<IO, check_answer> f) {
  io(1, "partition", f.partition);
  io(2, "number", f.number);
  io(3, "accepted", f.accepted);
  io(4, "reason", f.reason);
  io(5, "answers", f.answers);
  io(6, "application", f.application);
  io(7, "key", f.key);
  io(8, "node", f.node);
}
template <class IO>
void fields(IO &io, ref<IO, checks_delivered> f) {
  io(1, "partition", f.partition);
  io(2, "number", f.number);
  io(3, "answers", f.answers);
}
template <class IO>
void fields(IO &io, ref<IO, check_again> f) {
  io(1, "partition", f.partition);
  io(2, "application", f.application);
  io(3, "key", f.key);
  io(4, "node", f.node);
  io(5, "answers", f.answers);
}
template <class IO>
void fields(IO &io, ref<IO, limit_config> f) {
  io.note(1, "description", f.description);
  io(2, "users", f.users);
  io(3, "groups", f.groups);
  io(4, "max_resources", f.max_resources);
  io(5, "max_applications", f.max_applications);
}
template <class IO>
void fields(IO &io, ref<IO, placement_filter_config> f) {
  io(1, "allow", f.allow, true);
  io(2, "users", f.users);
  io(3, "groups", f.groups);
}
template <class IO>
void fields(IO &io, ref<IO, placement_rule_config> f) {
  io(1, "name", f.name);
  io(2, "create", f.create);
  io(3, "filter", f.filter);
  io(4, "parent", f.parent);
  io(5, "value", f.value);
}
template <class IO>
void fields(IO &io, ref<IO, child_template_config> f) {
  io(1, "max_applications", f.max_applications);
  io(2, "properties", f.properties);
  io(3, "guaranteed", f.guaranteed);
  io(4, "max", f.max);
}
template <class IO>
void fields(IO &io, ref<IO, queue_config> f) {
  io(1, "name", f.name);
  io(2, "parent", f.parent);
  io(3, "guaranteed", f.guaranteed);
  io(4, "max", f.max);
  io(5, "max_applications", f.max_applications);
  io(6, "properties", f.properties);
  io(7, "admin_acl", f.admin_acl);
  io(8, "submit_acl", f.submit_acl);
  io(9, "child_template", f.child_template);
  io(10, "queues", f.queues);
  io(11, "limits", f.limits);
}
template <class IO>
void fields(IO &io, ref<IO, node_sort_config> f) {
  io(1, "type", f.type);
  io(2, "resource_weights", f.resource_weights);
}
template <class IO>
void fields(IO &io, ref<IO, canary_limits> f) {
  io(1, "faults", f.faults, 1);
  io(2, "placements", f.placements, 100);
  io(3, "waiting_p99_ms", f.waiting_p99_ms);
  io(4, "waiting_factor", f.waiting_factor);
}
template <class IO>
void fields(IO &io, ref<IO, canary_config> f) {
  io(1, "node_sort", f.node_sort);
  io(2, "queues", f.queues);
  io(3, "share", f.share, canary_config::whole);
  io(4, "salt", f.salt);
  io(5, "back", f.back);
  io(6, "predicate", f.predicate);
}
template <class IO>
void fields(IO &io, ref<IO, partition_config> f) {
  io(1, "name", f.name);
  io(2, "root", f.root);
  io(3, "placement_rules", f.placement_rules);
  io(4, "preemption_enabled", f.preemption_enabled);
  io(5, "quota_preemption_enabled", f.quota_preemption_enabled);
  io(6, "node_sort", f.node_sort);
  io.note(7, "user_group_resolver", f.user_group_resolver);
  io(8, "tuning", f.tuning);
  io(9, "canary", f.canary);
}
template <class IO>
void fields(IO &io, ref<IO, cluster_config> f) {
  io(1, "partitions", f.partitions);
  io(2, "priority_classes", f.priority_classes);
  io.note(3, "checksum", f.checksum);
}

}  // namespace tenon::journal

#include "journal/swapped_fields.hpp"
#include "journal/tuning_fields.hpp"
