// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Every state machine as one table. The kernel's checks, the diagrams of docs/state-machines.md and the tests
// all come from here; an event without a row for a state is refused and changes nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tenon/kernel/states.hpp"

namespace tenon {

template <class State, class Event>
struct transition {
  Event event;
  State from;
  State to;
};

// The description of a machine, by its state type:
//   title, initial, event_type, state_names and event_names (in the order of the enums), rows.
template <class State>
struct machine;

template <>
struct machine<application_state> {
  using s = application_state;
  using e = application_event;
  using event_type = e;
  static constexpr std::string_view title = "Application";
  static constexpr s initial = s::new_;
  static constexpr auto state_names =
      std::to_array<std::string_view>({"New", "Accepted", "Starting", "Running", "Rejected", "Completing", "Completed",
                                       "Failing", "Failed", "Expired", "Resuming"});
  static constexpr auto event_names = std::to_array<std::string_view>(
      {"reject", "run", "run-directly", "complete", "fail", "resume", "expire", "remove", "wait"});
  static constexpr auto rows = std::to_array<transition<s, e>>({
      {e::reject, s::new_, s::rejected},
      {e::run, s::new_, s::accepted},
      {e::run, s::resuming, s::accepted},
      {e::run, s::accepted, s::starting},
      {e::run, s::starting, s::running},
      {e::run, s::running, s::running},
      {e::run, s::completing, s::running},
      {e::run_directly, s::new_, s::accepted},
      {e::run_directly, s::resuming, s::accepted},
      {e::run_directly, s::accepted, s::running},
      {e::run_directly, s::running, s::running},
      {e::run_directly, s::completing, s::running},
      {e::complete, s::accepted, s::completing},
      {e::complete, s::starting, s::completing},
      {e::complete, s::running, s::completing},
      {e::complete, s::completing, s::completed},
      {e::fail, s::new_, s::failing},
      {e::fail, s::accepted, s::failing},
      {e::fail, s::starting, s::failing},
      {e::fail, s::running, s::failing},
      {e::fail, s::completing, s::failing},
      {e::fail, s::resuming, s::failing},
      {e::fail, s::failing, s::failed},
      {e::resume, s::new_, s::resuming},
      {e::resume, s::accepted, s::resuming},
      {e::expire, s::completed, s::expired},
      {e::expire, s::failed, s::expired},
      {e::expire, s::rejected, s::expired},
      {e::remove, s::new_, s::failing},
      {e::remove, s::accepted, s::failing},
      {e::remove, s::starting, s::failing},
      {e::remove, s::running, s::failing},
      {e::remove, s::completing, s::failing},
      {e::remove, s::failing, s::failing},
      {e::remove, s::resuming, s::failing},
      {e::wait, s::completing, s::accepted},
  });
};

template <>
struct machine<object_state> {
  using s = object_state;
  using e = object_event;
  using event_type = e;
  static constexpr std::string_view title = "Object (queue, partition)";
  static constexpr s initial = s::active;
  static constexpr auto state_names = std::to_array<std::string_view>({"Active", "Draining", "Stopped"});
  static constexpr auto event_names = std::to_array<std::string_view>({"remove", "start", "stop"});
  static constexpr auto rows = std::to_array<transition<s, e>>({
      {e::remove, s::active, s::draining},
      {e::remove, s::stopped, s::draining},
      {e::remove, s::draining, s::draining},
      {e::start, s::stopped, s::active},
      {e::start, s::draining, s::active},
      {e::stop, s::active, s::stopped},
  });
};

template <>
struct machine<node_state> {
  using s = node_state;
  using e = node_event;
  using event_type = e;
  static constexpr std::string_view title = "Node";
  static constexpr s initial = s::absent;
  static constexpr auto state_names = std::to_array<std::string_view>({"Absent", "Schedulable", "Draining", "Removed"});
  static constexpr auto event_names =
      std::to_array<std::string_view>({"create", "create-draining", "drain", "undrain", "decommission"});
  static constexpr auto rows = std::to_array<transition<s, e>>({
      {e::create, s::absent, s::schedulable},
      {e::create_draining, s::absent, s::draining},
      {e::drain, s::schedulable, s::draining},
      {e::drain, s::draining, s::draining},
      {e::undrain, s::draining, s::schedulable},
      {e::decommission, s::schedulable, s::removed},
      {e::decommission, s::draining, s::removed},
  });
};

template <>
struct machine<rm_state> {
  using s = rm_state;
  using e = rm_event;
  using event_type = e;
  static constexpr std::string_view title = "Resource manager";
  static constexpr s initial = s::init;
  static constexpr auto state_names = std::to_array<std::string_view>({"Init", "Running", "Paused", "Stopped"});
  static constexpr auto event_names =
      std::to_array<std::string_view>({"register", "lost", "back", "timeout", "shutdown"});
  static constexpr auto rows = std::to_array<transition<s, e>>({
      {e::register_, s::init, s::running},
      {e::register_, s::running, s::running},
      {e::register_, s::paused, s::running},
      {e::register_, s::stopped, s::running},
      {e::lost, s::running, s::paused},
      {e::back, s::paused, s::running},
      {e::timeout, s::paused, s::stopped},
      {e::shutdown, s::running, s::stopped},
  });
};

// A replacement of an ask under the same key is a new ask and starts from Initial.
template <>
struct machine<ask_state> {
  using s = ask_state;
  using e = ask_event;
  using event_type = e;
  static constexpr std::string_view title = "Ask";
  static constexpr s initial = s::initial;
  static constexpr auto state_names =
      std::to_array<std::string_view>({"Initial", "Pending", "Allocated", "Rejected", "Released"});
  static constexpr auto event_names = std::to_array<std::string_view>(
      {"accept", "refuse", "place", "place-last", "withdraw", "undo", "accept-placed", "end"});
  static constexpr auto rows = std::to_array<transition<s, e>>({
      {e::accept, s::initial, s::pending},
      {e::refuse, s::initial, s::rejected},
      {e::place, s::pending, s::pending},
      {e::place_last, s::pending, s::allocated},
      {e::withdraw, s::pending, s::released},
      {e::undo, s::pending, s::pending},  // one of several placed
      {e::undo, s::allocated, s::pending},
      {e::accept_placed, s::initial, s::allocated},
      {e::end, s::allocated, s::released},
  });
};

template <>
struct machine<allocation_state> {
  using s = allocation_state;
  using e = allocation_event;
  using event_type = e;
  static constexpr std::string_view title = "Allocation";
  static constexpr s initial = s::initial;
  static constexpr auto state_names =
      std::to_array<std::string_view>({"Initial", "Proposed", "Allocated", "Completed", "Undone", "Preempting",
                                       "Preempted", "Expiring", "Expired", "Replacing", "Replaced", "Released"});
  static constexpr auto event_names =
      std::to_array<std::string_view>({"propose", "allocate", "confirm", "refuse", "late", "release", "preempt",
                                       "timeout", "replace", "acknowledge", "node-removed", "undo"});
  static constexpr auto rows = std::to_array<transition<s, e>>({
      {e::propose, s::initial, s::proposed},
      {e::allocate, s::initial, s::allocated},
      {e::confirm, s::proposed, s::allocated},
      {e::refuse, s::proposed, s::undone},
      {e::late, s::proposed, s::undone},
      {e::release, s::proposed, s::completed},
      {e::release, s::allocated, s::completed},
      {e::release, s::preempting, s::completed},
      {e::release, s::expiring, s::completed},
      {e::release, s::replacing, s::completed},
      {e::preempt, s::allocated, s::preempting},
      {e::timeout, s::allocated, s::expiring},
      {e::replace, s::allocated, s::replacing},
      {e::acknowledge, s::preempting, s::preempted},
      {e::acknowledge, s::expiring, s::expired},
      {e::acknowledge, s::replacing, s::replaced},
      {e::node_removed, s::allocated, s::released},
      {e::node_removed, s::preempting, s::released},
      {e::node_removed, s::expiring, s::released},
      {e::node_removed, s::replacing, s::released},
      {e::undo, s::proposed, s::undone},
      {e::undo, s::allocated, s::undone},
      {e::undo, s::preempting, s::undone},
      {e::undo, s::expiring, s::undone},
  });
};

template <class State>
using event_of = typename machine<State>::event_type;

namespace internal {

// No two rows for one (event, state), and every row within the names.
template <class State>
consteval bool well_formed() {
  constexpr auto &rows = machine<State>::rows;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<size_t>(rows[i].from) >= machine<State>::state_names.size() ||
        static_cast<size_t>(rows[i].to) >= machine<State>::state_names.size() ||
        static_cast<size_t>(rows[i].event) >= machine<State>::event_names.size()) {
      return false;
    }
    for (size_t j = 0; j < i; ++j) {
      if (rows[i].event == rows[j].event && rows[i].from == rows[j].from) return false;
    }
  }
  return true;
}

// Where each event leads from each state, all by their numbers: the rows, found at once.
inline constexpr uint8_t nowhere = 0xFF;
template <class State>
consteval auto targets() {
  std::array<std::array<uint8_t, machine<State>::state_names.size()>, machine<State>::event_names.size()> out{};
  for (auto &of_event : out) of_event.fill(nowhere);
  for (const auto &row : machine<State>::rows) {
    out[static_cast<size_t>(row.event)][static_cast<size_t>(row.from)] = static_cast<uint8_t>(row.to);
  }
  return out;
}
template <class State>
inline constexpr auto targets_of = targets<State>();

template <class Event>
struct state_of;
template <>
struct state_of<application_event> {
  using type = application_state;
};
template <>
struct state_of<object_event> {
  using type = object_state;
};
template <>
struct state_of<node_event> {
  using type = node_state;
};
template <>
struct state_of<rm_event> {
  using type = rm_state;
};
template <>
struct state_of<ask_event> {
  using type = ask_state;
};
template <>
struct state_of<allocation_event> {
  using type = allocation_state;
};

}  // namespace internal

template <class T>
concept machine_state = requires {
  machine<T>::rows;
};
template <class T>
concept machine_event = requires {
  typename internal::state_of<T>::type;
};

// Where `event` leads from `state`; nothing when the event is not possible there. May be `state` itself.
template <machine_state State>
[[nodiscard]] constexpr std::optional<State> next_state(State state, event_of<State> event) {
  static_assert(internal::well_formed<State>());
  const auto &by_event = internal::targets_of<State>;
  const auto at = static_cast<size_t>(event);
  const uint8_t to = at < by_event.size() ? by_event[at][static_cast<size_t>(state)] : internal::nowhere;
  if (to == internal::nowhere) return std::nullopt;
  return static_cast<State>(to);
}

// The name that messages and views show: "Running". Application states are the field's names.
template <machine_state State>
[[nodiscard]] constexpr std::string_view name(State state) {
  return machine<State>::state_names[static_cast<size_t>(state)];
}

template <machine_event Event>
[[nodiscard]] constexpr std::string_view name(Event event) {
  return machine<typename internal::state_of<Event>::type>::event_names[static_cast<size_t>(event)];
}

// "event X is not possible in state Y"
template <machine_state State>
[[nodiscard]] std::string refusal_text(State state, event_of<State> event) {
  return "event " + std::string(name(event)) + " is not possible in state " + std::string(name(state));
}

}  // namespace tenon
