// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Runs that have nothing to do with each other, each in a process of its own: what a module keeps for all of its
// instances is no other run's.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

// What a run says, as a text.
struct process_run {
  std::string name;  // "seed 42", for refusals
  std::function<result<std::string>()> play;
};

struct process_plan {
  size_t at_once = 0;                             // 0: as many as there are processors
  std::string where = {};                         // the option that asks for so many, for refusals
  std::function<void(size_t ended)> listen = {};  // after each one that ended; nothing: nobody wants to know
};

// What they say, in their order, whenever each of them ends. Where some are refused, the first refusal in their order
// is the answer, and those that have not started by then do not. The caller has no thread but its own.
[[nodiscard]] result<std::vector<std::string>> run_in_processes(const std::vector<process_run> &runs,
                                                                const process_plan &plan);

}  // namespace tenon::cli
