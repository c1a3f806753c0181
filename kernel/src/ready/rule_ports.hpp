// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rule ports: what the ready index asks of rules, and what it tells them. Each is provided by the class of one rule;
// nothing in this room knows which.
#pragma once

#include <cstdint>

#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "policies/sort_policy.hpp"

namespace tenon::internal {

// From when on an ask may take room from others.
class preemption_clock {
 public:
  [[nodiscard]] virtual int64_t preempts_at(const ask &a) const = 0;  // INT64_MAX: never

 protected:
  ~preemption_clock() = default;
};

// Asks in ask_line::reserved, and when an ask may join them.
class reserved_line {
 public:
  [[nodiscard]] virtual int64_t reserves_at(const ask &a) const = 0;  // it may reserve a node; INT64_MAX: never
  virtual void join(ask &a) = 0;
  virtual void leave(ask &a) = 0;
  // What decides about their turn may be other than it was.
  virtual void refresh(reservation &r) = 0;
  virtual void refresh(reserved_unit &u) = 0;
  virtual void refresh(application &app) = 0;
  virtual void look_again(node &n) = 0;  // there may be room on it
  virtual void wake_refused() = 0;       // something changed for the resource manager

 protected:
  ~reserved_line() = default;
};

// Asks in ask_line::placeholders, and the applications in which one may take the place of a placeholder.
class placeholder_line {
 public:
  // Asks that wait in the group came or went. `more`: what could not be done may be possible now.
  virtual void changed(task_group &g, bool more) = 0;
  virtual void wake_stuck() = 0;
  virtual void wake_on(const node &n) = 0;  // those to whom it matters

 protected:
  ~placeholder_line() = default;
};

// Which nodes predicates let asks of a class have.
class node_filter {
 public:
  [[nodiscard]] bool passes(const ask_class &c, uint32_t slot) {
    return c.judged == nullptr || is_passed(*c.judged, c.need, slot);
  }

 protected:
  ~node_filter() = default;

 private:
  virtual bool is_passed(verdict_set &v, const resources &need, uint32_t slot) = 0;
};

// Takes the place of a policy that failed.
class policy_fallback {
 public:
  virtual void failed(sort_policy &policy) = 0;

 protected:
  ~policy_fallback() = default;
};

}  // namespace tenon::internal
