// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Axes of charts: where values lie, and what stands beside them. A plot is 1000 wide and 100 high, whatever its size on
// the page.
#pragma once

#include <string>
#include <vector>

#include "report/charts.hpp"
#include "run/formats.hpp"

namespace tenon::cli {

struct plot {
  size_t intervals = 1;
  double top = 1;  // value at the upper edge

  [[nodiscard]] double edge(size_t interval) const {
    return 1000 * static_cast<double>(interval) / static_cast<double>(intervals);
  }
  [[nodiscard]] double middle(size_t interval) const { return (edge(interval) + edge(interval + 1)) / 2; }
  [[nodiscard]] double y(double value) const;
};

// Logarithmic from 1 on; what is below lies on a place of its own at the left, where `seconds` says so.
struct log_axis {
  double most = 10;
  bool seconds = true;

  [[nodiscard]] double at(double value) const;  // part of the width
};

// Ticks by part of the width.
[[nodiscard]] std::vector<tick> log_ticks(const log_axis &axis);
[[nodiscard]] std::vector<tick> percent_ticks(double top);
[[nodiscard]] std::vector<tick> ticks_of(const run_axis &axis);
[[nodiscard]] std::string title_of(const run_axis &axis);

[[nodiscard]] std::string grid_lines(const std::vector<tick> &ticks, double top);
[[nodiscard]] std::string y_labels(const std::vector<tick> &ticks, double top, const std::string &unit);
// `span`: what the right edge is. Where there is little room, every second one is left out.
[[nodiscard]] std::string x_labels(const std::vector<tick> &ticks, double span);

}  // namespace tenon::cli
