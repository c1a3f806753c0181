// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Format 3: the fields of every command in the order of its bytes. Nothing here changes any more but the names of
// members: what format 3 does not have stays as a command has it of itself.
#pragma once

#include <cstdint>

#include "journal/command_fields.hpp"
#include "journal/field_shapes.hpp"
#include "journal/version3_faults.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::journal::version3 {

// A command's number: the one that it has still (fields.hpp). 0: format 3 does not have the command.
inline constexpr uint32_t last_command = 24;
template <class Command>
inline constexpr uint8_t number_of = id_of<Command>.number <= last_command ? static_cast<uint8_t>(id_of<Command>.number)
                                                                           : 0;

// Commands have a second number where they got fields later: existing allocations of which some have a detail,
// registrations of those who check placements. The first means that there are none.
template <class Command>
inline constexpr uint8_t number_with_details = 0;
template <>
inline constexpr uint8_t number_with_details<put_allocation> = 15;
template <>
inline constexpr uint8_t number_with_details<add_node> = 16;
template <>
inline constexpr uint8_t number_with_details<register_rm> = 19;

// The last value that an enum may have.
template <class Enum>
inline constexpr Enum last_of = Enum{};
template <>
inline constexpr termination last_of<termination> = termination::scheduling_failed;
template <>
inline constexpr rm_signal last_of<rm_signal> = rm_signal::shutdown;
template <>
inline constexpr release_what last_of<release_what> = release_what::both;
template <>
inline constexpr step_answer::kind last_of<step_answer::kind> = step_answer::kind::rm_changed;

template <class IO>
void fields(IO &io, ref<IO, named_amount> f) {
  io(f.type, f.amount);
}
template <class IO>
void fields(IO &io, ref<IO, named_text> f) {
  io(f.key, f.value);
}
template <class IO>
void fields(IO &io, ref<IO, register_rm> f) {
  io(f.rm, f.version, f.policy_group, f.config);
  if (io.details) io(f.check_deadline_ms);
}
template <class IO>
void fields(IO &io, ref<IO, configure> f) {
  io(f.rm, f.config);
}
template <class IO>
void fields(IO &io, ref<IO, signal_rm> f) {
  io(f.rm, f.signal);
}
template <class IO>
void fields(IO &io, ref<IO, add_application> f) {
  io(f.partition, f.application, f.queue, f.user, f.groups, f.tags, f.execution_timeout_ms, f.placeholder_ask,
     f.hard_gang);
}
template <class IO>
void fields(IO &io, ref<IO, remove_application> f) {
  io(f.partition, f.application);
}
template <class IO>
void fields(IO &io, ref<IO, put_ask> f) {
  io(f.partition, f.application, f.key, f.resources, f.max_allocations, f.priority, f.priority_class,
     f.execution_timeout_ms, f.create_time_ms, f.tags, f.task_group, f.required_node, f.placeholder, f.originator,
     f.allow_preempt_self, f.allow_preempt_other);
}
template <class IO>
void fields(IO &io, ref<IO, existing_allocation> f) {
  io(f.ask, f.bind_time_ms, f.foreign);
  if (io.details) io(f.detail);
}
template <class IO>
void fields(IO &io, ref<IO, put_allocation> f) {
  io(f.partition, f.node, f.allocation);
}
template <class IO>
void fields(IO &io, ref<IO, release> f) {
  io(f.partition, f.application, f.key, f.allocation_sequence, f.limit, f.why, f.what);
}
template <class IO>
void fields(IO &io, ref<IO, add_node> f) {
  io(f.partition, f.node, f.capacity, f.occupied, f.attributes, f.schedulable, f.existing);
}
template <class IO>
void fields(IO &io, ref<IO, update_node> f) {
  io(f.partition, f.node, f.capacity, f.occupied, f.attributes, f.has_capacity, f.has_occupied, f.has_attributes);
}
template <class IO>
void fields(IO &io, ref<IO, change_node> f) {
  io(f.partition, f.node, f.event);
}
template <class IO>
void fields(IO &io, ref<IO, change_partition> f) {
  io(f.partition, f.event);
}
template <class IO>
void fields(IO &io, ref<IO, change_queue> f) {
  io(f.partition, f.queue, f.event);
}
template <class IO>
void fields(IO &, ref<IO, change_canary>) {}  // it does not have it
template <class IO>
void fields(IO &, ref<IO, swap_module>) {}  // nor this
template <class IO>
void fields(IO &io, ref<IO, fail_application> f) {
  io(f.partition, f.application, f.text);
}
template <class IO>
void fields(IO &io, ref<IO, move_application> f) {
  io(f.partition, f.application, f.queue);
}
template <class IO>
void fields(IO &io, ref<IO, step_answer> f) {
  if constexpr (IO::writes) {
    io(f.what, f.at, f.ok, sentence_of(f.fault));
  } else {
    std::string_view fault;
    io(f.what, f.at, f.ok, fault);
    f.fault = fault_said(fault);
  }
}
template <class IO>
void fields(IO &io, ref<IO, step> f) {
  io(f.partition, f.max_decisions, f.answers);
}
template <class IO>
void fields(IO &, ref<IO, advance>) {}
template <class IO>
void fields(IO &io, ref<IO, inspect> f) {
  io(f.partition, f.answers);
}

template <class IO>
void fields(IO &io, ref<IO, check_answer> f) {
  io(f.partition, f.number, f.accepted, f.reason);
}
template <class IO>
void fields(IO &io, ref<IO, checks_delivered> f) {
  io(f.partition, f.number);
}
template <class IO>
void fields(IO &io, ref<IO, check_again> f) {
  io(f.partition, f.application, f.key, f.node);
}
template <class IO>
void fields(IO &io, ref<IO, limit_config> f) {
  io(f.description, f.users, f.groups, f.max_resources, f.max_applications);
}
template <class IO>
void fields(IO &io, ref<IO, placement_filter_config> f) {
  io(f.allow, f.users, f.groups);
}
template <class IO>
void fields(IO &io, ref<IO, placement_rule_config> f) {
  io(f.name, f.create, f.filter, f.parent, f.value);
}
template <class IO>
void fields(IO &io, ref<IO, child_template_config> f) {
  io(f.max_applications, f.properties, f.guaranteed, f.max);
}
template <class IO>
void fields(IO &io, ref<IO, queue_config> f) {
  io(f.name, f.parent, f.guaranteed, f.max, f.max_applications, f.properties, f.admin_acl, f.submit_acl,
     f.child_template, f.queues, f.limits);
}
template <class IO>
void fields(IO &io, ref<IO, node_sort_config> f) {
  io(f.type, f.resource_weights);
}
template <class IO>
void fields(IO &io, ref<IO, partition_tuning> f) {
  io(f.reservation_delay_ms, f.reservation_wait_ms, f.reservation_enabled, f.reservation_backfill,
     f.preemption_retry_ms, f.starting_timeout_ms, f.completing_timeout_ms, f.terminated_timeout_ms,
     f.placeholder_timeout_ms, f.queue_cleanup_ms, f.drain_timeout_ms, f.release_confirm_timeout_ms);
  if constexpr (!IO::writes) {  // there was none of these
    f.reservation_max_nodes = 0;
    f.start_retry_ms = f.start_retry_max_ms = 0;
  }
}
template <class IO>
void fields(IO &io, ref<IO, partition_config> f) {
  io(f.name, f.root, f.placement_rules, f.preemption_enabled, f.quota_preemption_enabled, f.node_sort,
     f.user_group_resolver, f.tuning);
}
template <class IO>
void fields(IO &io, ref<IO, cluster_config> f) {
  io(f.partitions, f.priority_classes, f.checksum);
}

}  // namespace tenon::journal::version3
