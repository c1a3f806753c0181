// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "report/charts.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "report/axes.hpp"
#include "run/formats.hpp"

namespace tenon::cli {
namespace {

std::string number(double value) { return decimal(value, 2); }

// A line through the middles of the intervals, broken where there is no value.
std::string line_path(const curve &values, const plot &on) {
  std::string out;
  bool drawing = false;
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      drawing = false;
      continue;
    }
    // The ends of a line lie on the edges, so that one interval alone is seen as well.
    const bool last = i + 1 == values.size() || std::isnan(values[i + 1]);
    const std::string height = number(on.y(values[i]));
    if (!drawing) out += "M" + number(on.edge(i)) + " " + height;
    out += "L" + number(on.middle(i)) + " " + height;
    if (last) out += "L" + number(on.edge(i + 1)) + " " + height;
    drawing = true;
  }
  return out;
}

// The area between two curves without gaps.
std::string band_path(const curve &below, const curve &above, const plot &on) {
  std::string out;
  const size_t count = above.size();
  for (size_t i = 0; i < count; ++i) {
    const std::string height = number(on.y(above[i]));
    if (i == 0) out += "M" + number(on.edge(0)) + " " + height;
    out += "L" + number(on.middle(i)) + " " + height;
    if (i + 1 == count) out += "L" + number(on.edge(count)) + " " + height;
  }
  for (size_t i = count; i-- > 0;) {
    const std::string height = number(on.y(below[i]));
    if (i + 1 == count) out += "L" + number(on.edge(count)) + " " + height;
    out += "L" + number(on.middle(i)) + " " + height;
    if (i == 0) out += "L" + number(on.edge(0)) + " " + height;
  }
  return out + "Z";
}

std::string path(const std::string &shape, const std::string &look) {
  return shape.empty() ? "" : "<path d=\"" + shape + "\" class=\"" + look + "\"/>\n";
}

std::string svg(const std::string &inside) {
  return "<svg viewBox=\"0 0 1000 100\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\n" + inside + "</svg>\n";
}

// `plot` and the texts around it.
std::string framed(const chart_text &text, const std::string &y_axis, const std::string &inside,
                   const std::string &x_axis, const std::string &x_title, const char *look = "chart") {
  return "<div class=\"" + std::string(look) + "\" role=\"img\" id=\"" + text.id + "\" aria-labelledby=\"" + text.id +
         "-title " + text.id + "-desc\">\n<span hidden id=\"" + text.id + "-title\">" + escaped(text.title) +
         "</span>\n<span hidden id=\"" + text.id + "-desc\">" + escaped(text.desc) +
         "</span>\n<div class=\"y-title\">" + escaped(text.y_title) + "</div>\n<div class=\"y-axis\">" + y_axis +
         "</div>\n<div class=\"plot\">" + inside + "</div>\n<div class=\"x-axis\">" + x_axis +
         "</div>\n<div class=\"x-title\">" + escaped(x_title) + "</div>\n</div>\n";
}

double most_of(const std::vector<chart_line> &lines) {
  double most = 0;
  for (const chart_line &line : lines) {
    for (const double value : *line.values) most = std::isnan(value) ? most : std::max(most, value);
  }
  return most;
}

// Rounding must not stretch the axis.
double percents_up_to(double most) { return most < 1.001 ? 1.0 : most; }

// Upper ends of the steps of satisfaction, as parts of the fair share; the last has none.
constexpr std::array step_ends = {0.25, 0.5, 0.75, 0.95, 1.05, 1.5};

size_t step_of(double satisfied) {
  return static_cast<size_t>(std::upper_bound(step_ends.begin(), step_ends.end(), satisfied) - step_ends.begin());
}

std::string cells_of(const curve &satisfied) {
  std::string out;
  const auto intervals = static_cast<double>(satisfied.size());
  for (size_t i = 0; i < satisfied.size();) {
    if (std::isnan(satisfied[i])) {
      ++i;
      continue;
    }
    const size_t step = step_of(satisfied[i]);
    size_t end = i + 1;
    while (end < satisfied.size() && !std::isnan(satisfied[end]) && step_of(satisfied[end]) == step) ++end;
    const double from = 1000 * static_cast<double>(i) / intervals, to = 1000 * static_cast<double>(end) / intervals;
    out += "<rect x=\"" + number(from) + "\" y=\"0\" width=\"" + number(to - from) + "\" height=\"100\" class=\"h" +
           std::to_string(step) + "\"/>\n";
    i = end;
  }
  return out;
}

std::string row_of(const std::string &name, const std::string &inside) {
  const std::string text = escaped(name);
  return "<div class=\"row\"><span class=\"name\" title=\"" + text + "\">" + text + "</span><div class=\"track\">" +
         inside + "</div></div>\n";
}

std::string mark(const std::string &look, double from, double to = -1) {
  std::string out = "<i class=\"" + look + "\" style=\"left:" + number(from * 100) + "%";
  if (to >= from) out += ";width:" + number((to - from) * 100) + "%";
  return out + "\"></i>";
}

}  // namespace

std::string colour_of(size_t index) { return index < 8 ? "c" + std::to_string(index + 1) : "rest"; }

run_axis axis_of(const run_curves &curves, int64_t begins_ms) {
  return {curves.by_time, curves.span, curves.by_time ? begins_ms : 0, curves.intervals};
}

std::string line_chart(const chart_text &text, const run_axis &axis, const std::vector<chart_line> &lines,
                       y_scale scale, double least_top) {
  const double most = std::max(most_of(lines), least_top);
  const double top = scale == y_scale::percents ? percents_up_to(most) : std::max(most * 1.05, 1.0);
  const plot on{axis.intervals, top};
  const std::vector<tick> ticks = scale == y_scale::percents ? percent_ticks(top) : number_ticks(top, 4);
  std::string inside = grid_lines(ticks, top);
  for (const chart_line &line : lines) {
    if (line.filled) {
      inside += path(band_path(curve(line.values->size(), 0), *line.values, on), "wash f-" + line.colour);
    }
    inside += path(line_path(*line.values, on), "curve s-" + line.colour + (line.dashed ? " dashed" : ""));
  }
  return framed(text, y_labels(ticks, top, scale == y_scale::percents ? "%" : ""), svg(inside),
                x_labels(ticks_of(axis), axis.span), title_of(axis));
}

std::string stacked_chart(const chart_text &text, const run_axis &axis, const std::vector<chart_line> &layers) {
  curve below(axis.intervals, 0);
  double most = 1;
  for (const chart_line &layer : layers) {
    for (size_t i = 0; i < below.size(); ++i) most = std::max(most, below[i] += (*layer.values)[i]);
  }
  const double top = percents_up_to(most);
  const plot on{axis.intervals, top};
  const std::vector<tick> ticks = percent_ticks(top);
  std::string inside = grid_lines(ticks, top);
  below.assign(axis.intervals, 0);
  for (const chart_line &layer : layers) {
    curve above = below;
    for (size_t i = 0; i < above.size(); ++i) above[i] += (*layer.values)[i];
    inside += path(band_path(below, above, on), "layer f-" + layer.colour);
    below = std::move(above);
  }
  return framed(text, y_labels(ticks, top, "%"), svg(inside), x_labels(ticks_of(axis), axis.span), title_of(axis));
}

std::vector<std::pair<std::string, std::string>> satisfaction_steps() {
  return {{"h0", "under 25%"}, {"h1", "25–50%"},   {"h2", "50–75%"},        {"h3", "75–95%"},
          {"h4", "its share"}, {"h5", "105–150%"}, {"h6", "more than 150%"}};
}

std::string satisfaction_chart(const chart_text &text, const run_axis &axis, const std::vector<queue_curves> &queues) {
  std::string rows;
  for (const queue_curves &queue : queues) rows += row_of(queue.name, svg(cells_of(queue.satisfied)));
  return framed(text, "", rows, x_labels(ticks_of(axis), axis.span), title_of(axis), "chart rows");
}

std::string spread_chart(const chart_text &text, const std::vector<spread_row> &rows) {
  double most = 10;
  for (const spread_row &row : rows) most = std::max(most, row.values.most.value);
  const log_axis axis{most, true};
  const std::vector<tick> ticks = log_ticks(axis);
  std::string inside;
  for (const spread_row &row : rows) {
    const spread &v = row.values;
    std::string marks;
    for (const tick &t : ticks) marks += mark("gridline", t.at);
    marks += mark("thin f-" + row.colour, axis.at(v.p50.value), axis.at(v.most.value)) +
             mark("part f-" + row.colour, axis.at(v.p50.value), axis.at(v.p90.value)) +
             mark("mark f-" + row.colour, axis.at(v.p99.value)) +
             mark((v.most.at_least ? "more s-" : "ring s-") + row.colour, axis.at(v.most.value)) +
             mark("dot f-" + row.colour, axis.at(v.p50.value));
    inside += row_of(row.name, marks);
  }
  return framed(text, "", inside, x_labels(ticks, 1), "time, logarithmic", "chart rows");
}

std::string spread_keys() {
  const auto key = [](const std::string &look, const std::string &label) {
    return "<li><span class=\"key\" aria-hidden=\"true\"><i class=\"" + look + "\"></i></span>" + label + "</li>\n";
  };
  return "<ul class=\"legend\">\n" + key("dot f-c1", "median") + key("part f-c1", "to nine tenths") +
         key("mark f-c1", "99 of 100") + key("ring s-c1", "longest") + key("more s-c1", "longest, and not over yet") +
         "</ul>\n";
}

std::string cumulative_chart(const chart_text &text, const std::vector<cumulative_line> &lines, bool seconds) {
  double most = seconds ? 10 : 2;
  for (const cumulative_line &line : lines) {
    if (!line.values->values.empty()) most = std::max(most, line.values->values.back());
  }
  const log_axis axis{most, seconds};
  const std::vector<tick> ticks = log_ticks(axis), parts = percent_ticks(1);
  std::string inside = grid_lines(parts, 1);
  for (const cumulative_line &line : lines) {
    const cumulative &of = *line.values;
    std::string shape;
    double part = 0;
    for (size_t i = 0; i < of.values.size(); ++i) {
      const std::string x = number(axis.at(of.values[i]) * 1000);
      shape +=
          (i == 0 ? "M" : "L") + x + " " + number(100 * (1 - part)) + "L" + x + " " + number(100 * (1 - of.parts[i]));
      part = of.parts[i];
    }
    if (!shape.empty()) shape += "L1000 " + number(100 * (1 - part));
    inside += path(shape, "curve s-" + line.colour + (line.dashed ? " dashed" : ""));
  }
  return framed(text, y_labels(parts, 1, "%"), svg(inside), x_labels(ticks, 1),
                seconds ? "time, logarithmic" : "logarithmic");
}

}  // namespace tenon::cli
