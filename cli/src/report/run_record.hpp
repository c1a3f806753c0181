// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Everything that a report draws of a run, as plain values. A report holds them as JSON, so that the run can be drawn
// beside a later one.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/job_figures.hpp"
#include "report/series.hpp"
#include "simulate/run_summary.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

struct run_record {
  std::string label;  // short: what tells it from another run
  std::string origin;
  int64_t begins_ms = 0;                                      // Unix time; 0: of no date
  std::vector<std::pair<std::string, std::string>> settings;  // how it was played, as shown
  run_summary counted;                                        // without devices
  run_curves curves;
  job_figures jobs;
};

// A row of a chart of waiting times. `colour` is "c1" for the first run and "c2" for the other.
struct spread_row {
  std::string name, colour;
  spread values;
};

// Both return JSON that may stand in an element <script>.
[[nodiscard]] std::string to_json(const run_record &run);
[[nodiscard]] std::string to_json(const std::vector<spread_row> &rows);
// The run of a report. `file` is for refusals.
[[nodiscard]] result<run_record> read_report(std::string_view page, const std::string &file);

}  // namespace tenon::cli
