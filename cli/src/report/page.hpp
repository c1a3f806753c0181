// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The report of a run: one HTML file that needs nothing else.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/series.hpp"
#include "simulate/summary.hpp"

namespace tenon::cli {

// `settings`: how it was played, name and value, in the order in which they are shown. The same run gives the same
// page, on every machine.
[[nodiscard]] std::string report_page(const run_report &report, const run_curves &curves,
                                      const std::vector<std::pair<std::string, std::string>> &settings);

}  // namespace tenon::cli
