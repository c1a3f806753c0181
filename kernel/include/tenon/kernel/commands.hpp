// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Commands: everything that can change a kernel. Texts and spans are borrowed for the call; the kernel
// copies what it keeps. A journal is a sequence of (time, command).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "tenon/kernel/module_kinds.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon {

struct named_amount {
  std::string_view type;
  int64_t amount;
};
struct named_text {
  std::string_view key;
  std::string_view value;
};
using amounts = std::span<const named_amount>;
using texts = std::span<const named_text>;
using names = std::span<const std::string_view>;

// Why an allocation or ask ends; numbers are Tenon's own, transports translate.
enum class termination : uint8_t {
  stopped_by_rm,
  timeout,
  preempted_by_scheduler,
  placeholder_replaced,
  unknown,
  scheduling_failed
};

// Which policy of which partition was at fault. A replay finds it by these.
struct policy_fault {
  enum class kind : uint8_t {
    none,
    queue_order,
    application_order,
    node_order,
    chosen_node_order,  // that applications choose
    predicate,
    predicate_signature,  // of an ask that came
    canary_node_order,
    canary_predicate,
    canary_predicate_signature,
  } what = kind::none;
  std::string_view partition;
  std::string_view policy;
  std::string_view asks;  // of a predicate: application/key of the ask, or of the first of those that it judges alike
  uint64_t arrival = 0;   // of that ask, counted from 1 in its partition; 0 in journals of before
  bool alone = false;     // it is judged alike with no other: it has no signature
  friend bool operator==(const policy_fault &, const policy_fault &) = default;
};

// What the kernel was told from outside while it applied a command. Written down with the command, in the order of use,
// so that a replay goes by it and asks nobody.
struct step_answer {
  enum class kind : uint8_t {
    policy_fault,
    rm_check,
    rm_changed,         // the RM may answer otherwise than it did; what it refused is tried again
    rule_known,         // there are placement rules of the name, or not
    rule_bound,         // the placement rule can be had as it is configured, or not
    placement,          // the queue that a placement rule gives
    placement_refused,  // a placement rule refuses the application
    placement_fault     // a placement rule failed, and gives none
  } what = kind::policy_fault;
  // policy_fault: decisions of the step before it; rm_check: ordinal of the check in the step; else 0
  uint64_t at = 0;
  // rm_check: the RM accepts; rule_known, rule_bound: it is so; placement: text is a path from the root
  bool ok = false;
  tenon::policy_fault fault = {};
  std::string_view text = {};  // rule_bound, placement_refused: why; placement: the queue, empty for none
};

// Partitions are named as in [rm]name everywhere below, not by their handles: a journal is played by other kernels.
// `rm` alone where a command is RM-wide.

struct register_rm {
  std::string_view rm;
  std::string_view version;
  std::string_view policy_group;
  const cluster_config *config = nullptr;  // never null when applied
  // Above 0: the RM checks placements (docs/decisions-proposed.md), and has so long to answer from their delivery.
  int64_t check_deadline_ms = 0;
  uint64_t epoch = 0;                         // of no other registration; 0: the journal is older, and UUIDs go without
  std::span<const step_answer> answers = {};  // here and below: empty when live, filled by the recorder and on replay
};

// Swaps the configuration of all partitions of an RM, whole or not at all.
struct configure {
  std::string_view rm;
  const cluster_config *config = nullptr;
  std::span<const step_answer> answers = {};
};

// The RM's last stream is gone, came back, or it said goodbye.
enum class rm_signal : uint8_t { lost, back, timeout, shutdown };
struct signal_rm {
  std::string_view rm;
  rm_signal signal = rm_signal::lost;
  std::span<const step_answer> answers = {};
};

struct add_application {
  std::string_view partition;
  std::string_view application;
  std::string_view queue;  // as submitted; placement decides
  std::string_view user;
  names groups;  // resolved before the command entered the journal
  texts tags;
  int64_t execution_timeout_ms = 0;
  amounts placeholder_ask;  // empty: no gang
  bool hard_gang = false;
  std::span<const step_answer> answers = {};
};

struct remove_application {
  std::string_view partition;
  std::string_view application;
  std::span<const step_answer> answers = {};
};

// A new ask, or a replacement of the pending part of the ask with the same key.
struct put_ask {
  std::string_view partition;
  std::string_view application;  // empty: an independent ask
  std::string_view key;
  amounts resources;
  int32_t max_allocations = 1;
  int32_t priority = 0;
  std::string_view priority_class;  // non-empty: looked up in the configuration instead of priority
  int64_t execution_timeout_ms = 0;
  int64_t create_time_ms = 0;  // 0: now
  texts tags;
  std::string_view task_group;
  std::string_view required_node;
  bool placeholder = false;
  bool originator = false;
  bool allow_preempt_self = true;
  bool allow_preempt_other = false;
  std::span<const step_answer> answers = {};
};

// An allocation that exists already: recovered with its node, or foreign (not Tenon's).
struct existing_allocation {
  put_ask ask;
  int64_t bind_time_ms = 0;      // 0: now
  bool foreign = false;          // counts as occupied; application is empty
  std::string_view detail = {};  // the devices that it holds, as the scheduler said when it placed it; empty: none
  // Of put_allocation: which one of its ask it is, by the UUID that the RM gave. Where there is none, its node says it.
  uint64_t sequence = 0;  // this one, which is there
  bool apart = false;     // none of those that are there
};

// Adds one existing allocation to a known node, or changes a foreign one.
struct put_allocation {
  std::string_view partition;
  std::string_view node;
  existing_allocation allocation;
  std::span<const step_answer> answers = {};
};

enum class release_what : uint8_t { allocations, asks, both };
struct release {
  std::string_view partition;
  std::string_view application;      // empty: foreign allocations by key, or with no key all of the partition
  std::string_view key;              // empty: all of the application
  uint64_t allocation_sequence = 0;  // 0: all allocations of the key; else the one with this sequence
  uint32_t limit = 0;                // 0: no limit; else only the oldest so many
  termination why = termination::stopped_by_rm;
  release_what what = release_what::both;
  std::span<const step_answer> answers = {};
};

struct add_node {
  std::string_view partition;
  std::string_view node;
  amounts capacity;
  amounts occupied;
  texts attributes;
  bool schedulable = true;
  std::span<const existing_allocation> existing;
  std::span<const step_answer> answers = {};
};

struct update_node {
  std::string_view partition;
  std::string_view node;
  amounts capacity;  // looked at only where has_capacity
  amounts occupied;
  texts attributes;
  bool has_capacity = false;
  bool has_occupied = false;
  bool has_attributes = false;
  std::span<const step_answer> answers = {};
};

struct change_node {
  std::string_view partition;
  std::string_view node;
  uint8_t event = 0;              // node_event::drain, undrain or decommission
  bool by_administrator = false;  // else the RM: what administrators drained it does not give back
  std::span<const step_answer> answers = {};
};

// What people do. Refused where kernel::problem_with() says why, and then nothing changes.
struct change_partition {
  std::string_view partition;
  uint8_t event = 0;  // object_event::stop, start or remove: it drains
  std::span<const step_answer> answers = {};
};
struct change_queue {
  std::string_view partition;
  std::string_view queue;
  uint8_t event = 0;  // object_event::stop or start
  std::span<const step_answer> answers = {};
};
// The canary of the partition goes back, or is put in place once more as it is configured.
enum class canary_turn : uint8_t { back, again };
struct change_canary {
  std::string_view partition;
  canary_turn turn = canary_turn::back;
  std::string_view text = {};  // who and why, for people; may be empty
  std::span<const step_answer> answers = {};
};

// Another build of a module decides from now on. The policies that it provides, in all partitions, are bound anew, as
// their configurations say, and what was kept of what they said is asked for again. Whole or not at all.
struct swapped_policy {
  module_kind kind = module_kind::queue_sort;
  std::string_view name;
};
struct swap_module {
  std::string_view module;
  std::string_view digest;        // of the build that decides from now on
  std::string_view before;        // of the one that did; empty: nobody says
  std::string_view version = {};  // for people
  std::string_view text = {};     // who and why, for people; may be empty
  std::span<const swapped_policy> policies = {};
  std::span<const step_answer> answers = {};
};

// The application fails; what it has is released.
struct fail_application {
  std::string_view partition;
  std::string_view application;
  std::string_view text;  // why, for people; may be empty
  std::span<const step_answer> answers = {};
};

// The application goes to another leaf, with all that it has and asks for.
struct move_application {
  std::string_view partition;
  std::string_view application;
  std::string_view queue;  // full path
  std::span<const step_answer> answers = {};
};

// Makes up to max_decisions decisions in one partition, or in all of them (empty name), one each in turn.
struct step {
  std::string_view partition;
  uint32_t max_decisions = 1;
  std::span<const step_answer> answers = {};
};

// Says of pending asks what they wait for, a limit or a node, where that changed: for autoscalers. Of all of them, or
// in parts: each looks at so many applications and asks, and goes on where the last one ended.
struct inspect {
  std::string_view partition;  // empty: all
  std::span<const step_answer> answers = {};
  uint32_t most = 0;  // applications and asks; 0: all
};

// What the RM says to a placement that was proposed. Or to a question whether an ask may wait for capacity on a node,
// which the three names tell: the ask is looked at again, whatever the answer is.
struct check_answer {
  std::string_view partition;
  uint64_t number = 0;  // allocation_sequence of the proposal; 0: the question is about a reservation
  bool accepted = false;
  std::string_view reason;  // of a refusal
  std::span<const step_answer> answers = {};
  std::string_view application = {}, key = {}, node = {};
};

// The RM was given the checks of all proposals up to this number: its time to answer begins.
struct checks_delivered {
  std::string_view partition;
  uint64_t number = 0;  // allocation_sequence of the last of these proposals
  std::span<const step_answer> answers = {};
};

// What the RM refused it may accept by now.
struct check_again {
  std::string_view partition;
  std::string_view application, key, node;  // empty: any
  std::span<const step_answer> answers = {};
};

// Moves time: timers that are due fire in (due, creation) order.
struct advance {
  std::span<const step_answer> answers = {};
};

using command = std::variant<register_rm, configure, signal_rm, add_application, remove_application, put_ask,
                             put_allocation, release, add_node, update_node, change_node, step, advance, inspect,
                             check_answer, check_again, checks_delivered, change_queue, fail_application,
                             move_application, change_partition, change_canary, swap_module>;

// The answers that a command comes with.
[[nodiscard]] inline std::span<const step_answer> answers_of(const command &c) {
  return std::visit([](const auto &one) { return one.answers; }, c);
}
// The same command with these.
[[nodiscard]] inline command with_answers(command c, std::span<const step_answer> answers) {
  std::visit([&](auto &one) { one.answers = answers; }, c);
  return c;
}

}  // namespace tenon
