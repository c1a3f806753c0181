// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How values are spread, of which some were not over when the run ended: those are at least so large.
#pragma once

#include <cstdint>
#include <vector>

namespace tenon::cli {

struct measured {
  double value = 0;
  bool over = true;  // else the end of the run cut it short
};

// A figure that the end of the run may have made too small.
struct figure {
  double value = 0;
  bool at_least = false;
};

struct spread {
  uint64_t over = 0, open = 0;  // values that were over, and that were not
  figure mean, p50, p90, p95, p99, most;

  [[nodiscard]] uint64_t count() const { return over + open; }
};

// Percentiles are the smallest value that so many of all do not exceed; all are 0 where there is no value.
[[nodiscard]] spread spread_of(std::vector<measured> values);

}  // namespace tenon::cli
