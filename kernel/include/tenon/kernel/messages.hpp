// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Every text that a decision carries, one function each. The kernel and its oracle call the same functions. A text
// begins with YuniKorn's words where YuniKorn has some, because resource managers and their tests look for them. A
// refusal then says what is wanted and what to do.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tenon/kernel/queue_config.hpp"

namespace tenon::messages {

// Names that there are, of which a refusal shows the nearest one or the first few. They are collected when something is
// refused.
using known_names = std::span<const std::string_view>;

// "map[memory:1000 vcore:500]", by name.
[[nodiscard]] std::string amounts(const amount_map &amounts);

// Resource managers and configurations.
[[nodiscard]] std::string registration_failed(std::string_view why);
[[nodiscard]] std::string configuration_failed(std::string_view why);
[[nodiscard]] std::string rm_not_registered(std::string_view rm);
[[nodiscard]] std::string rm_id_invalid(std::string_view rm);
[[nodiscard]] std::string partition_without_root();
[[nodiscard]] std::string leaf_has_applications(std::string_view queue);
[[nodiscard]] std::string parent_has_applications(std::string_view queue);
[[nodiscard]] std::string no_partition(std::string_view partition, known_names known);
[[nodiscard]] std::string too_many_resource_types(std::string_view type, uint32_t limit);
[[nodiscard]] std::string negative_amount(std::string_view type, int64_t amount);
[[nodiscard]] std::string amount_too_large(std::string_view type, int64_t amount);
// `there`: what the amount, taken so many times, would be added to.
[[nodiscard]] std::string sum_too_large(std::string_view type, int64_t amount, int64_t times, int64_t there);
[[nodiscard]] std::string queue_too_deep(std::string_view queue, uint32_t limit);

// A time, in milliseconds since 1970, that a resource manager sends of something that happened, and that is after now.
inline constexpr std::string_view creation_time = "creation time", bind_time = "bind time";
[[nodiscard]] std::string time_to_come(std::string_view which, int64_t said_ms, int64_t now_ms);

// Applications: refused for what they are.
[[nodiscard]] std::string application_without_partition(std::string_view application, std::string_view partition,
                                                        known_names known);
[[nodiscard]] std::string application_to_stopped_partition(std::string_view partition, std::string_view application,
                                                           std::string_view state);
[[nodiscard]] std::string application_exists(std::string_view application, std::string_view partition);
[[nodiscard]] std::string application_without_id();
[[nodiscard]] std::string user_empty();
[[nodiscard]] std::string user_invalid(std::string_view user);
[[nodiscard]] std::string gang_queue_not_fifo(std::string_view queue, std::string_view application,
                                              std::string_view sort);
[[nodiscard]] std::string gang_larger_than_queue(std::string_view queue, std::string_view application,
                                                 const amount_map &request, const amount_map &max);
// `message` is the order's own, perhaps none.
[[nodiscard]] std::string order_refused_application(std::string_view application, std::string_view order,
                                                    std::string_view queue, std::string_view message);

// Applications: not placed. Reasons are wrapped in placement_failed().
[[nodiscard]] std::string placement_failed(std::string_view application, std::string_view why);
// `against`: what speaks against the queue that the application names, one of the texts that follow.
[[nodiscard]] std::string no_rule_matched(const std::string &against);
// `below`: the last parts of the names of the queues below.
[[nodiscard]] std::string queue_not_named(known_names below);
[[nodiscard]] std::string queue_not_in_full(std::string_view queue);
[[nodiscard]] std::string queue_not_looked_at(std::string_view queue);
// `above` is the nearest queue that is there.
[[nodiscard]] std::string queue_missing(std::string_view queue, std::string_view above, bool above_is_leaf,
                                        known_names below);
[[nodiscard]] std::string queue_is_parent(std::string_view queue, known_names below);
[[nodiscard]] std::string queue_inactive(std::string_view queue, std::string_view state, bool stopped);
[[nodiscard]] std::string submit_denied(std::string_view user, std::string_view queue);
[[nodiscard]] std::string queue_name_invalid();
[[nodiscard]] std::string queue_path_invalid(std::string_view path);
[[nodiscard]] std::string parent_rule_gave_leaf(std::string_view queue);
// `message` is the rule's own, perhaps none.
[[nodiscard]] std::string rule_refused(std::string_view rule, std::string_view message);
[[nodiscard]] std::string queue_create_below_leaf(std::string_view queue, std::string_view ancestor);
[[nodiscard]] std::string queue_create_below_draining(std::string_view ancestor);
[[nodiscard]] std::string queue_is_recovery();

// What a rule set that cannot be built says; wrapped in registration_failed() or configuration_failed().
[[nodiscard]] std::string rule_unknown(std::string_view rule);
[[nodiscard]] std::string rule_recovery();
[[nodiscard]] std::string rule_tag_without_value();
[[nodiscard]] std::string rule_fixed_without_value();
[[nodiscard]] std::string rule_fixed_qualified_with_parent(std::string_view value);
[[nodiscard]] std::string acl_spaces(std::string_view acl);
[[nodiscard]] std::string order_refused_queue(std::string_view queue, std::string_view order, std::string_view message);

// Why an application changed its state: its message, in one line (docs/decisions.md, section 3).
[[nodiscard]] std::string_view ask_added();
[[nodiscard]] std::string_view allocation_added();
[[nodiscard]] std::string_view gang_complete();
[[nodiscard]] std::string_view gang_runs();
[[nodiscard]] std::string_view no_placeholder_left();
[[nodiscard]] std::string_view nothing_left();
// With how long it was in its state.
[[nodiscard]] std::string starting_timeout(int64_t ms);
[[nodiscard]] std::string completing_timeout(int64_t ms);
[[nodiscard]] std::string terminated_timeout(int64_t ms, std::string_view state);
[[nodiscard]] std::string reservation_timeout(int64_t ms, std::string_view state, uint64_t allocated, uint64_t pending);
[[nodiscard]] std::string execution_timeout(int64_t since_start_ms);
[[nodiscard]] std::string partition_removed(int64_t drain_timeout_ms);
// The same in what is said of its asks and allocations.
[[nodiscard]] std::string partition_removed();
[[nodiscard]] std::string execution_timeout();
[[nodiscard]] std::string reservation_timeout();

// Asks and allocations.
[[nodiscard]] std::string application_not_found(std::string_view application);
[[nodiscard]] std::string application_has_ended(std::string_view application, std::string_view state);
[[nodiscard]] std::string node_not_found(std::string_view node, known_names near);
[[nodiscard]] std::string key_empty();
[[nodiscard]] std::string no_resources();
[[nodiscard]] std::string negative_resources(std::string_view type, int64_t amount);
[[nodiscard]] std::string no_allocations_wanted(int64_t wanted);
[[nodiscard]] std::string priority_class_unknown(std::string_view name, known_names known);
[[nodiscard]] std::string foreign_without_node(std::string_view key);
[[nodiscard]] std::string foreign_node_not_found(std::string_view node, std::string_view key, known_names near);
[[nodiscard]] std::string allocation_elsewhere(std::string_view key, std::string_view node);
// The text of an `allocated` decision about an allocation that the resource manager reported.
[[nodiscard]] std::string existing();

// Devices of nodes, of asks and of allocations that exist.
[[nodiscard]] std::string devices_type_invalid(std::string_view key);
[[nodiscard]] std::string devices_malformed(std::string_view key, std::string_view value);
[[nodiscard]] std::string devices_not_the_amount(std::string_view type, std::string_view value, int64_t amount);
[[nodiscard]] std::string detail_malformed(std::string_view key, std::string_view detail);
[[nodiscard]] std::string detail_not_the_amount(std::string_view key, std::string_view detail, std::string_view type,
                                                int64_t amount);

// Nodes. Reasons of refused new nodes are wrapped in node_rejected().
[[nodiscard]] std::string node_rejected(std::string_view why);
[[nodiscard]] std::string node_exists(std::string_view partition, std::string_view node);
[[nodiscard]] std::string node_without_id();
[[nodiscard]] std::string node_without_partition(std::string_view partition, std::string_view node, known_names known);
[[nodiscard]] std::string node_to_draining_partition(std::string_view partition, std::string_view node);
[[nodiscard]] std::string node_allocation_not_restored(std::string_view key, std::string_view why);
[[nodiscard]] std::string node_not_draining(std::string_view node);
[[nodiscard]] std::string node_drained_by_administrator(std::string_view node);
[[nodiscard]] std::string node_event_unknown(std::string_view node);
[[nodiscard]] std::string node_partition_changed(std::string_view node, std::string_view partition);

// Releases, as the scheduler gives them to a resource manager.
[[nodiscard]] std::string released_by_rm();
[[nodiscard]] std::string application_removed(std::string_view application);
[[nodiscard]] std::string node_removed(std::string_view node);
[[nodiscard]] std::string application_failed(std::string_view application, std::string_view why);
[[nodiscard]] std::string allocation_execution_timeout(std::string_view key);
[[nodiscard]] std::string placeholders_timed_out();
[[nodiscard]] std::string pending_placeholders_timed_out();
[[nodiscard]] std::string placeholders_of_completed();
[[nodiscard]] std::string placeholder_too_small();
[[nodiscard]] std::string replacing(std::string_view key);
[[nodiscard]] std::string preempted_for_ask(std::string_view key);
[[nodiscard]] std::string preempted_for_daemon(std::string_view key);
[[nodiscard]] std::string preempted_for_quota(std::string_view queue);

[[nodiscard]] std::string starts_failed(uint64_t count, int64_t wait_ms);
// Why a reservation ended.
[[nodiscard]] std::string reservation_used();
[[nodiscard]] std::string reservation_ask_gone();
[[nodiscard]] std::string reservation_node_unfit();
[[nodiscard]] std::string reservations_off();
[[nodiscard]] std::string reservations_too_many();
[[nodiscard]] std::string reservation_may_not_run();
[[nodiscard]] std::string reservation_waited(std::string_view node);
[[nodiscard]] std::string reservation_for_daemon(std::string_view key);
[[nodiscard]] std::string reservation_for_higher(std::string_view key);
[[nodiscard]] std::string reservation_for_preemption(std::string_view key);
[[nodiscard]] std::string reservation_moved(std::string_view node);

// Of proposals: what they are, and why they end.
[[nodiscard]] std::string proposed_in_place(std::string_view placeholder);
[[nodiscard]] std::string check_refused(std::string_view node, std::string_view reason);
[[nodiscard]] std::string check_late(std::string_view node);
[[nodiscard]] std::string proposal_ask_gone();
[[nodiscard]] std::string proposal_not_running();
[[nodiscard]] std::string proposal_node_unfit();
[[nodiscard]] std::string proposal_placeholder_gone(std::string_view placeholder);
[[nodiscard]] std::string too_much_asked();

// Why a canary goes back.
[[nodiscard]] std::string canary_failed(module_kind kind, std::string_view policy, uint32_t times);
[[nodiscard]] std::string canary_waits(uint32_t longer, uint32_t placed, int64_t bound_ms);
[[nodiscard]] std::string canary_waits_longer(int64_t average_ms, int64_t others_ms, uint32_t factor);
[[nodiscard]] std::string canary_taken_back(std::string_view text);
// Why people cannot take it back, or put it in place again.
[[nodiscard]] std::string no_canary(std::string_view partition);
[[nodiscard]] std::string canary_is_back(std::string_view why);
// Why another build of its predicate cannot take over.
[[nodiscard]] std::string swap_of_canary(std::string_view policy);
[[nodiscard]] std::string canary_is_in_place();

// What people do.
[[nodiscard]] std::string no_application(std::string_view application);
// `refusal` is that of the state machine.
[[nodiscard]] std::string event_not_possible(std::string_view refusal, bool draining);
[[nodiscard]] std::string queue_event_unknown(uint8_t event);
[[nodiscard]] std::string partition_event_unknown(uint8_t event);
[[nodiscard]] std::string partition_start_while_draining(std::string_view partition);
// One line, whatever `why` is: control characters in it become spaces.
[[nodiscard]] std::string application_killed(std::string_view why);
// Why an application cannot be moved.
[[nodiscard]] std::string move_of_ending(std::string_view application, std::string_view state);
[[nodiscard]] std::string move_to_same(std::string_view application, std::string_view queue);
[[nodiscard]] std::string move_not_permitted(std::string_view user, std::string_view queue);
[[nodiscard]] std::string move_ask_too_large(std::string_view key, const amount_map &ask, std::string_view queue,
                                             const amount_map &max);
[[nodiscard]] std::string move_beyond_max(const amount_map &used, std::string_view queue);
[[nodiscard]] std::string move_beyond_applications(std::string_view queue);
[[nodiscard]] std::string move_beyond_limit(std::string_view whose, std::string_view queue);

// Container scheduling states.
[[nodiscard]] std::string container_skipped();
[[nodiscard]] std::string container_failed();

}  // namespace tenon::messages
