// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Session: one seed, from the first command to the last, on two schedulers side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "load.hpp"
#include "tenon/kernel/decisions.hpp"

namespace tenon::sim {

// What a session needs of a scheduler; kernel and oracle both have it.
struct scheduler {
  virtual ~scheduler() = default;
  virtual uint32_t apply(int64_t now_ms, const command &c) = 0;
  virtual void drain(const std::function<void(const decision_view &)> &take) = 0;
  // What it was told from outside while it applied the last command; until the next drain.
  [[nodiscard]] virtual std::span<const step_answer> answers() const { return {}; }
  [[nodiscard]] virtual kernel_snapshot snapshot() = 0;
  [[nodiscard]] virtual std::optional<int64_t> next_due() const = 0;
  // Nothing is to be expected of a step while this is false.
  [[nodiscard]] virtual bool has_work() const = 0;
  // Where what it told a listener, or shows to readers, differs from what it is.
  [[nodiscard]] virtual std::vector<std::string> told_wrong(const kernel_snapshot &) { return {}; }
};
// The kernel has the features that it has; the oracle those that are asked for.
using make_scheduler = std::function<std::unique_ptr<scheduler>(const naive::features &)>;

[[nodiscard]] std::unique_ptr<scheduler> make_kernel(const naive::features &);
[[nodiscard]] std::unique_ptr<scheduler> make_oracle(const naive::features &wanted);

struct session_options {
  uint64_t seed = 1;
  uint32_t steps = 250;
  const sim::profile *profile = nullptr;  // null: one that the seed draws
  bool print = false;                     // every command and its decisions
  uint32_t compare_every = 1;             // snapshots: after every so many commands
};

struct session_result {
  std::string profile;
  std::string journal;  // what the tested one was told
  std::string lines;    // its decisions, one a line
  uint64_t steps = 0;
  uint64_t decisions = 0;
  uint64_t placed = 0;
  uint64_t faults = 0;  // of predicates
  std::string failure;  // empty: none
};

// Its predicates fail now and then, as the seed has it.
[[nodiscard]] std::unique_ptr<scheduler> make_faulty_kernel(const naive::features &, uint64_t seed);

// Plays a seed on `tested` and `reference`, then the journal of it on `again`.
[[nodiscard]] session_result play(const session_options &options, const make_scheduler &tested,
                                  const make_scheduler &reference, const make_scheduler &again);

}  // namespace tenon::sim
