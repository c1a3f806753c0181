// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "report/axes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tenon::cli {
namespace {

// Of the width, where values below 1 have a place of their own.
constexpr double below_one = 0.02, from_one = 0.08;

std::string label(const std::string &text, const char *side, double percent, const char *look) {
  return "<span class=\"" + std::string(look) + "\" style=\"" + side + ":" + decimal(percent, 2) + "%\">" +
         escaped(text) + "</span>";
}

}  // namespace

double plot::y(double value) const { return 100 * (1 - std::clamp(value, 0.0, top) / top); }

double log_axis::at(double value) const {
  if (seconds && value < 1) return below_one;
  const double first = seconds ? from_one : 0.0;
  const double part = value <= 1 ? 0 : std::log(value) / std::log(std::max(most, 1.001));
  return first + (0.985 - first) * std::min(part, 1.0);
}

std::vector<tick> log_ticks(const log_axis &axis) {
  struct named {
    double value;
    const char *text;
  };
  constexpr std::array times = {named{1, "1 s"},
                                named{10, "10 s"},
                                named{60, "1 min"},
                                named{600, "10 min"},
                                named{3600, "1 h"},
                                named{21'600, "6 h"},
                                named{86'400, "1 day"},
                                named{604'800, "7 days"},
                                named{2'592'000, "30 days"},
                                named{31'536'000, "1 year"}};
  std::vector<tick> out;
  if (axis.seconds) {
    out.push_back({axis.at(0), "< 1 s"});
    for (const named &one : times) {
      if (one.value == 1 && axis.most >= 60) continue;  // it would stand on what is below it
      if (one.value <= axis.most * 1.0001) out.push_back({axis.at(one.value), one.text});
    }
    return out;
  }
  for (double value = 1; value <= axis.most * 1.0001; value *= 10) {
    for (const double step : {1.0, 2.0, 5.0}) {
      if (step > 1 && axis.most > 100) continue;
      if (value * step <= axis.most * 1.0001) out.push_back({axis.at(value * step), decimal(value * step, 0)});
    }
  }
  return out;
}

std::vector<tick> percent_ticks(double top) {
  if (top == 1) return {{0, "0"}, {0.25, "25"}, {0.5, "50"}, {0.75, "75"}, {1, "100"}};
  return number_ticks(top, 5, 100);
}

std::vector<tick> ticks_of(const run_axis &axis) {
  if (!axis.by_time) return number_ticks(axis.span, 8);
  return axis.begins_ms == 0 ? time_ticks(axis.span, 8) : date_ticks(axis.begins_ms, axis.span, 8);
}

std::string title_of(const run_axis &axis) {
  if (!axis.by_time) return axis.title;
  if (axis.begins_ms != 0) return "virtual time, UTC";
  return "virtual time, " + std::string(unit_of(axis.span).name);
}

std::string grid_lines(const std::vector<tick> &ticks, double top) {
  std::string out;
  const plot on{1, top};
  for (const tick &t : ticks) {
    if (t.at <= 0) continue;
    const std::string y = decimal(on.y(t.at), 2);
    out += "<line x1=\"0\" y1=\"" + y + "\" x2=\"1000\" y2=\"" + y + "\" class=\"grid\"/>\n";
  }
  return out + "<line x1=\"0\" y1=\"100\" x2=\"1000\" y2=\"100\" class=\"base\"/>\n";
}

std::string y_labels(const std::vector<tick> &ticks, double top, const std::string &unit) {
  std::string out;
  for (const tick &t : ticks) out += label(t.text + unit, "bottom", 100 * t.at / top, "tick");
  return out;
}

std::string x_labels(const std::vector<tick> &ticks, double span) {
  std::string out;
  for (size_t i = 0; i < ticks.size(); ++i) {
    const double percent = 100 * ticks[i].at / span;
    const bool spare = ticks.size() > 4 && i % 2 == 1;
    const char *look = percent > 94 ? (spare ? "tick last spare" : "tick last") : spare ? "tick spare" : "tick";
    out += label(ticks[i].text, "left", percent, look);
  }
  return out;
}

}  // namespace tenon::cli
