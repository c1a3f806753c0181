// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the host sees of its modules at work: calls, faults, broken rules.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tenon/host/deployment.hpp"
#include "tenon/host/process_usage.hpp"
#include "tenon/host/thread_role.hpp"

namespace tenon::host {

// A module did what its interface does not allow: an unexpected status, an output of a wrong size, a budget
// broken. The caller of the slot gets INTERNAL, and the kernel replaces the policy as `action` says.
struct module_fault {
  std::string module;     // id and version
  std::string interface;  // tenon.node-sort/1
  std::string name;       // of the policy
  std::string slot;
  std::string text;
  fault_action action = fault_action::fallback;
  bool between_processes = false;  // it was not asked: a process that was lost is being replaced
};

// The host itself broke a rule of the ABI towards a module: wrong thread, or two threads in one instance.
struct thread_violation {
  std::string module;
  std::string interface;
  std::string name;
  std::string slot;
  slot_tag wanted = slot_tag::any;
  thread_role have = thread_role::other;
  bool concurrent = false;  // another thread was in the instance
  [[nodiscard]] std::string text() const;
};

struct module_counters {
  std::string id, version;
  std::string kind = {}, name = {};  // what it provides: "node-sort", "binpacking"; several with commas between
  uint64_t calls = 0;
  uint64_t faults = 0;
  uint64_t overruns = 0;                                // calls that took longer than the budget
  uint64_t measured = 0, measured_ns = 0, most_ns = 0;  // of one call in 64
  uint64_t verdicts = 0, refusals = 0;                  // of a predicate, one for each node that it was asked about
  uint64_t refused_in_a_row = 0;                        // since the last one that passed
  int64_t refusing_since_ns = 0;                        // of the steady clock; of the first of these
  int64_t last_fault_ns = 0;                            // of the steady clock; 0: there was none
  std::string last_fault = {};                          // in words
  std::string quarantine = {};                          // why it is not loaded; empty: it is
  bool in_fallback = false;                             // an order failed, and the built-in one decides in its place
  bool isolated = false;                                // in processes of its own
  process_usage usage = {};                             // of those

  // In all calls, as far as those that were measured say.
  [[nodiscard]] uint64_t total_ns() const {
    return measured == 0 ? 0
                         : static_cast<uint64_t>(static_cast<double>(measured_ns) / static_cast<double>(measured) *
                                                 static_cast<double>(calls));
  }
};

using fault_handler = std::function<void(const module_fault &)>;
using violation_handler = std::function<void(const thread_violation &)>;

}  // namespace tenon::host
