// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Ledger: the one writer of states.
#pragma once

#include <cstdlib>

#include "model/owned_state.hpp"

namespace tenon::internal {

class ledger {
 public:
  // Moves the state by the event. False where its table has no row for that: then nothing changes.
  template <class State, class Holder>
  static bool try_transition(owned_state<State, Holder> &of, event_of<State> event) {
    const auto to = next_state(of.state_, event);
    if (to) of.state_ = *to;
    return to.has_value();
  }
  // An event that is always possible where it happens: were it not, the books would be wrong, and the process ends.
  template <class State, class Holder>
  static void transition(owned_state<State, Holder> &of, event_of<State> event) {
    if (!try_transition(of, event)) std::abort();
  }
  // Another object takes the place of the one before it.
  template <class State, class Holder>
  static void begin(owned_state<State, Holder> &of) {
    of.state_ = machine<State>::initial;
  }
  // What is made as a copy of another stands where that one does.
  template <class State, class Holder>
  static void copy(owned_state<State, Holder> &to, const owned_state<State, Holder> &from) {
    to = from;
  }
};

}  // namespace tenon::internal
