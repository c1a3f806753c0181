// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The states and events of Tenon's state machines (rulings: section 1). The tables are in state_tables.hpp.
#pragma once

#include <cstdint>

namespace tenon {

enum class application_state : uint8_t {
  new_,
  accepted,
  starting,
  running,
  rejected,
  completing,
  completed,
  failing,
  failed,
  expired,
  resuming,
};
// run_directly stands for run in every state of an application that skips Starting (tag
// application.stateaware.disable). wait stands for run where maxapplications leaves no place.
enum class application_event : uint8_t { reject, run, run_directly, complete, fail, resume, expire, remove, wait };

enum class object_state : uint8_t { active, draining, stopped };  // queue, partition
enum class object_event : uint8_t { remove, start, stop };

enum class node_state : uint8_t { absent, schedulable, draining, removed };
enum class node_event : uint8_t { create, create_draining, drain, undrain, decommission };

enum class rm_state : uint8_t { init, running, paused, stopped };
enum class rm_event : uint8_t { register_, lost, back, timeout, shutdown };

enum class ask_state : uint8_t { initial, pending, allocated, rejected, released };
// place_last is the place that reaches maxAllocations; accept_placed takes an ask of which nothing is left to place.
enum class ask_event : uint8_t { accept, refuse, place, place_last, withdraw, undo, accept_placed, end };

enum class allocation_state : uint8_t {
  initial,
  proposed,
  allocated,
  completed,
  undone,
  preempting,
  preempted,
  expiring,
  expired,
  replacing,
  replaced,
  released,
};
enum class allocation_event : uint8_t {
  propose,
  allocate,
  confirm,
  refuse,
  late,
  release,
  preempt,
  timeout,
  replace,
  acknowledge,
  node_removed,
  undo,
};

}  // namespace tenon
