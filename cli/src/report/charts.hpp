// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The pictures of a report. What is drawn is SVG that stretches to the width there is. Texts are the page's, beside the
// drawing, so that a chart can be read on a phone. Colours are the page's variables (page_style.hpp), so that they
// follow its light or dark scheme.
#pragma once

#include <string>
#include <vector>

#include "report/job_figures.hpp"
#include "report/series.hpp"
#include "simulate/spread.hpp"

namespace tenon::cli {

// A colour of the page: "c1" to "c8", or "rest".
[[nodiscard]] std::string colour_of(size_t index);

struct chart_line {
  std::string name;
  std::string colour;
  const curve *values = nullptr;
  bool filled = false;  // down to the axis
  bool dashed = false;
};

struct chart_text {
  std::string id;           // of the element
  std::string title, desc;  // for those who do not see it
  std::string y_title;
};

// The axis from left to right: virtual time, with dates where they are known, or what is counted instead.
struct run_axis {
  bool by_time = true;
  double span = 0;  // seconds, or so many that are counted
  int64_t begins_ms = 0;
  size_t intervals = 0;
  // Where it is not time: what it says below the axis, and what a place on it is called.
  const char *title = "placements, one after the other";
  const char *place = "placement";
};
[[nodiscard]] run_axis axis_of(const run_curves &curves, int64_t begins_ms);

enum class y_scale : uint8_t { percents, counts };

// Lines over the axis of the run. Percents go from 0 to 100, and further only where a line does. `least_top`: the axis
// goes up to that at least, so that two charts can be compared.
[[nodiscard]] std::string line_chart(const chart_text &text, const run_axis &axis, const std::vector<chart_line> &lines,
                                     y_scale scale, double least_top = 0);
// The same curves stacked, the first at the bottom. Percents.
[[nodiscard]] std::string stacked_chart(const chart_text &text, const run_axis &axis,
                                        const std::vector<chart_line> &layers);
// A row for each queue, coloured by what it has of its fair share.
[[nodiscard]] std::string satisfaction_chart(const chart_text &text, const run_axis &axis,
                                             const std::vector<queue_curves> &queues);
// The steps of its colours: class of the colour, and what it stands for.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> satisfaction_steps();

struct spread_row {
  std::string name;
  spread values;
  std::string colour = "c1";
};
// A row each: median, nine tenths, 99 of 100 and the longest, in seconds on a logarithmic axis.
[[nodiscard]] std::string spread_chart(const chart_text &text, const std::vector<spread_row> &rows);
[[nodiscard]] std::string spread_keys();

struct cumulative_line {
  std::string name;
  std::string colour;
  const cumulative *values = nullptr;
  bool dashed = false;
};
// So large a part of all jobs, from the bottom up, has at most the value, on a logarithmic axis: of seconds, or of
// numbers from 1 on.
[[nodiscard]] std::string cumulative_chart(const chart_text &text, const std::vector<cumulative_line> &lines,
                                           bool seconds);

}  // namespace tenon::cli
