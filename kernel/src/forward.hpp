// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The classes of the rooms by name, for headers of those who are told them.
#pragma once

namespace tenon::internal {

class administration;
class allocation_states;
class application_intake;
class application_states;
class ask_alarms;
class ask_classifier;
class ask_lines;
class call_contexts;
class change_dispatcher;
class change_writer;
class chosen_node_orders;
class claims;
class class_table;
class decision_teller;
class device_holdings;
class fact_teller;
class fair_max;
class foreign_allocations;
class gangs;
class kept_counts;
class limits;
class node_fitness;
class node_table;
class node_verdicts;
class open_proposals;
class placeholder_timers;
class placement;
class placement_checks;
class policy_faults;
class preemption;
class proposals;
class proposer;
class queue_priorities;
class queue_tree;
class quotas;
class reader_marks;
class ready_index;
class replacements;
class reservations;
class reserved_line;
class resource_intake;
class sort_keys;
class unfit_placements;
struct core;
struct node_sortings;
struct queue_orders;
struct sort_orders;

}  // namespace tenon::internal
