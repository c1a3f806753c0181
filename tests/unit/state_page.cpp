// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "state_page.hpp"

#include <array>
#include <string_view>

#include "tenon/kernel/state_tables.hpp"

namespace tenon {
namespace {

// What makes each event happen, in the order of the event enums.
template <class Event>
constexpr int causes = 0;
template <>
constexpr auto causes<application_event> = std::to_array<std::string_view>({
    "placement or submission refuses it",
    "the first ask; an allocation; all placeholders of a gang are allocated, or no more are pending and real work "
    "runs; 5 minutes of Starting; the last "
    "placeholder of a Resuming one is gone",
    "as run, where the tag application.stateaware.disable is true",
    "nothing pending and nothing allocated; then 30 seconds of that",
    "placeholders of a hard gang without real work timed out, the execution time is over, or its partition was "
    "removed; then nothing "
    "pending or allocated any more",
    "placeholders of a gang that does not fail timed out",
    "3 days after the end",
    "the resource manager removes it: what it has is released, and it is forgotten",
    "a new ask, where maxapplications leaves no place for one more that runs",
});
template <>
constexpr auto causes<object_event> = std::to_array<std::string_view>({
    "a new configuration does not name it any more, or an administrator drains the partition",
    "a new configuration names it again, or an administrator starts it",
    "an administrator stops it: nothing new is scheduled in it, what runs stays",
});
template <>
constexpr auto causes<node_event> = std::to_array<std::string_view>({
    "the resource manager adds it",
    "the resource manager adds it, not to be used yet",
    "the resource manager or an administrator drains it: nothing new is placed on it",
    "who drained it gives it back",
    "the resource manager takes it away: its allocations are released",
});
template <>
constexpr auto causes<rm_event> = std::to_array<std::string_view>({
    "it registers; what it had before under the same id is cleaned up first",
    "its last stream is gone: decisions wait, nothing is scheduled",
    "it opens streams again: waiting decisions are delivered in order",
    "it stayed away too long, or too many decisions wait: all its state is released",
    "it closes its streams, or calls stop in process",
});
template <>
constexpr auto causes<ask_event> = std::to_array<std::string_view>({
    "it is valid and its application takes it",
    "it is invalid, or its application does not take it",
    "an allocation is made for it and more are wanted",
    "the last allocation it wants is made",
    "the resource manager withdraws it or sends another one in its place, or its application ends",
    "one of its allocations is undone: the node vanished, or the resource manager could not bind it",
    "what it wants is allocated already: the resource manager reports an allocation, or replaces an ask by one that "
    "wants no more than is there",
    "the last of its allocations is gone",
});
template <>
constexpr auto causes<allocation_event> = std::to_array<std::string_view>({
    "placed, where the resource manager checks placements",
    "placed, or recovered with its node",
    "the resource manager accepts the placement",
    "the resource manager refuses the placement",
    "the resource manager did not answer in time",
    "the resource manager releases it, or its application or partition is removed",
    "it is a victim of preemption",
    "its execution time is over, its application fails, or it is a placeholder that nothing can replace any more",
    "a real allocation takes the place of this placeholder",
    "the resource manager confirms the release that the scheduler asked for",
    "its node is removed",
    "the resource manager could not bind it; or, of a proposed one, its ask or its node goes, or its application does "
    "not run any more",
});

template <class State>
std::string rows_of(event_of<State> event) {
  std::string out;
  for (const auto &row : machine<State>::rows) {
    if (row.event != event) continue;
    out += (out.empty() ? "" : ", ") + std::string(name(row.from)) + " → " + std::string(name(row.to));
  }
  return out;
}

template <class State>
bool is_final(State state) {
  for (const auto &row : machine<State>::rows) {
    if (row.from == state) return false;
  }
  return true;
}

// The events that lead from one state to another, in the order of the table.
template <class State>
std::string events_between(State from, State to) {
  std::string out;
  for (const auto &row : machine<State>::rows) {
    if (row.from == from && row.to == to) out += (out.empty() ? "" : ", ") + std::string(name(row.event));
  }
  return out;
}

template <class State>
std::string diagram() {
  constexpr size_t states = machine<State>::state_names.size();
  std::string out = "```mermaid\nstateDiagram-v2\n";
  out += "  [*] --> " + std::string(name(machine<State>::initial)) + "\n";
  for (size_t f = 0; f < states; ++f) {
    const auto from = static_cast<State>(f);
    for (size_t t = 0; t < states; ++t) {
      const auto to = static_cast<State>(t);
      const std::string events = events_between(from, to);
      if (events.empty()) continue;
      out += "  " + std::string(name(from)) + " --> " + std::string(name(to)) + ": " + events + "\n";
    }
    if (is_final(from)) out += "  " + std::string(name(from)) + " --> [*]\n";
  }
  return out + "```\n";
}

template <class State>
std::string section() {
  using event_type = event_of<State>;
  static_assert(causes<event_type>.size() == machine<State>::event_names.size());
  std::string out = "\n## " + std::string(machine<State>::title) + "\n\n" + diagram<State>();
  out += "\n| event | from → to | because |\n|---|---|---|\n";
  for (size_t e = 0; e < causes<event_type>.size(); ++e) {
    const auto event = static_cast<event_type>(e);
    out += "| " + std::string(name(event)) + " | " + rows_of<State>(event) + " | " +
           std::string(causes<event_type>[e]) + " |\n";
  }
  return out;
}

}  // namespace

std::string state_machines_page() {
  return "# State machines\n\n"
         "The test `StateMachinesPage` writes this page from the tables in "
         "`kernel/include/tenon/kernel/state_tables.hpp`.\nAn event that is not listed for a state is refused with "
         "`event X is not possible in state "
         "Y` and changes nothing.\nDurations are the defaults.\n" +
         section<application_state>() + section<object_state>() + section<node_state>() + section<rm_state>() +
         section<ask_state>() + section<allocation_state>();
}

}  // namespace tenon
