// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The pictures of a report, as SVG to stand in a page. Colours are the page's variables (page_style.hpp), so that they
// follow its light or dark scheme.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/series.hpp"
#include "simulate/tally.hpp"

namespace tenon::cli {

// A colour of the page: "c1" to "c8", or "rest".
[[nodiscard]] std::string colour_of(size_t index);

struct chart_line {
  std::string name;
  std::string colour;
  const curve *values = nullptr;
  bool filled = false;  // down to the axis
};

struct chart_text {
  std::string id;           // of the element
  std::string title, desc;  // for those who do not see it
  std::string y_title;
};

// Where the values of a chart lie in its view box.
struct chart_frame {
  double left = 0, right = 0, top = 0, bottom = 0;
  double row = 0;  // height of a row; 0: the chart has none
};
[[nodiscard]] chart_frame frame_of_lines();
[[nodiscard]] chart_frame frame_of_satisfaction(size_t queues);

enum class y_scale : uint8_t { percents, counts };

// Lines over the axis of the run. Percents go from 0 to 100, and further only where a line does.
[[nodiscard]] std::string line_chart(const chart_text &text, const run_curves &axis,
                                     const std::vector<chart_line> &lines, y_scale scale);
// The same curves stacked, the first at the bottom. Percents.
[[nodiscard]] std::string stacked_chart(const chart_text &text, const run_curves &axis,
                                        const std::vector<chart_line> &layers);
// A row for each queue, coloured by what it has of its fair share.
[[nodiscard]] std::string satisfaction_chart(const chart_text &text, const run_curves &curves);
// The steps of its colours: class of the colour, and what it stands for.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> satisfaction_steps();
// A row for each queue: median, nine tenths, 99 of 100 and the longest, on a logarithmic axis.
[[nodiscard]] std::string waiting_chart(const chart_text &text,
                                        const std::vector<std::pair<std::string, waiting>> &queues);

}  // namespace tenon::cli
