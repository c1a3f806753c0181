// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The report of a run, or of two side by side: one HTML file that needs nothing else.
#pragma once

#include <string>

#include "report/run_record.hpp"

namespace tenon::cli {

// The same runs give the same page, on every machine. `other`: one that is drawn beside it; null: none.
// `first`: sections that stand before all others.
[[nodiscard]] std::string report_page(const run_record &run, const run_record *other, const std::string &first = {});

}  // namespace tenon::cli
