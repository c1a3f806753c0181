// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What `tenon simulate` says at the end.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "simulate/tally.hpp"
#include "tenon/host/call_shadow.hpp"

namespace tenon::cli {

struct run_report {
  std::string origin;  // of the load or journal
  run_summary counted;
  uint64_t step_decisions = 0;
  double step_seconds = 0;  // wall time inside the scheduler's steps
  // Averages over the run, where a report was drawn: see series.hpp. NaN: there is none.
  std::optional<double> fairness, scattered, stranded;
  std::optional<spread> slowdown, completion;  // of jobs, likewise: see job_figures.hpp
  std::vector<host::call_shadow_status> shadows;

  [[nodiscard]] double decisions_per_second() const {
    return step_seconds > 0 ? static_cast<double>(step_decisions) / step_seconds : 0;
  }
};

void print(std::ostream &out, const run_report &report);
// One object; its keys are in docs/simulate.md.
[[nodiscard]] std::string to_json(const run_report &report);

}  // namespace tenon::cli
