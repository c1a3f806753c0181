// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The classes of the rooms by name, for headers of those who are told them.
#pragma once

namespace tenon::internal {

class administration;
class allocation_lifecycle;
class allocation_states;
class application_intake;
class application_lifecycle;
class application_states;
class ask_alarms;
class ask_classifier;
class ask_lines;
class call_contexts;
class canary;
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
class fresh_keys;
class gangs;
class headroom;
class held_off_asks;
class kept_counts;
class limits;
class node_fitness;
class node_search;
class node_table;
class node_verdicts;
class open_proposals;
class partition;
class placeholder_line;
class placeholder_pass;
class placeholder_timers;
class placement;
class placement_checks;
class placer;
class policy_fallback;
class policy_faults;
class preemption;
class preemption_clock;
class proposals;
class proposer;
class queue_lifecycle;
class queue_pass;
class queue_priorities;
class queue_tree;
class quotas;
class reader_marks;
class ready_index;
class replacements;
class required_node;
class required_node_preemption;
class reservations;
class reserved_line;
class reserved_nodes;
class reserved_pass;
class reserver;
class resource_intake;
class sort_keys;
class unfit_placements;
class victim_room;
class victim_search;
struct core;
struct node_sortings;
struct partition_model;
struct queue_orders;
struct sort_orders;

}  // namespace tenon::internal
