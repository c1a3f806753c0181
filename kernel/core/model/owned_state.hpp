// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Owned state: where one object stands in its state machine. Everybody reads it; the ledger alone moves it, by an event
// of its table.
#pragma once

#include <string>
#include <string_view>

#include "tenon/kernel/state_tables.hpp"

namespace tenon::internal {

class ledger;

// `Holder` is the object that has it: where a holder is moved as a whole, its state goes along.
template <machine_state State, class Holder>
class owned_state {
 public:
  owned_state() = default;
  ~owned_state() = default;

  // Reads as the state itself.
  operator State() const { return state_; }
  [[nodiscard]] State now() const { return state_; }
  [[nodiscard]] std::string_view name() const { return tenon::name(state_); }
  // Whether the event is possible, and why it is not.
  [[nodiscard]] bool may(event_of<State> event) const { return next_state(state_, event).has_value(); }
  [[nodiscard]] std::string refusal(event_of<State> event) const { return refusal_text(state_, event); }

 private:
  friend class ledger;
  friend Holder;
  owned_state(const owned_state &) = default;
  owned_state(owned_state &&) = default;
  owned_state &operator=(const owned_state &) = default;
  owned_state &operator=(owned_state &&) = default;

  State state_ = machine<State>::initial;
};

}  // namespace tenon::internal
