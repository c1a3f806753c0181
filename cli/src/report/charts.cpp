// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "report/charts.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "report/words.hpp"

namespace tenon::cli {
namespace {

// All in the units of the view box; the page scales it.
constexpr double width = 960;
constexpr double plot_top = 30, plot_right = 944;
constexpr double plot_height = 210;
constexpr double axis_room = 44;  // below the plot: ticks and title
constexpr double narrow_left = 52, wide_left = 190;
constexpr size_t name_length = 24;

std::string px(double value) { return decimal(value, 1); }

class svg {
 public:
  svg(const chart_text &text, double height) {
    out_ = "<svg viewBox=\"0 0 " + px(width) + " " + px(height) + "\" role=\"img\" id=\"" + text.id +
           "\" aria-labelledby=\"" + text.id + "-title " + text.id + "-desc\">\n<title id=\"" + text.id + "-title\">" +
           escaped(text.title) + "</title>\n<desc id=\"" + text.id + "-desc\">" + escaped(text.desc) + "</desc>\n";
  }

  void text(double x, double y, std::string_view look, std::string_view words, std::string_view full = {}) {
    out_ += "<text x=\"" + px(x) + "\" y=\"" + px(y) + "\" class=\"" + std::string(look) + "\">";
    if (!full.empty() && full != words) out_ += "<title>" + escaped(full) + "</title>";
    out_ += escaped(words) + "</text>\n";
  }
  void line(double x1, double y1, double x2, double y2, std::string_view look) {
    out_ += "<line x1=\"" + px(x1) + "\" y1=\"" + px(y1) + "\" x2=\"" + px(x2) + "\" y2=\"" + px(y2) + "\" class=\"" +
            std::string(look) + "\"/>\n";
  }
  void path(const std::string &shape, std::string_view look) {
    if (shape.empty()) return;
    out_ += "<path d=\"" + shape + "\" class=\"" + std::string(look) + "\"/>\n";
  }
  void rect(double x, double y, double w, double h, std::string_view look, double radius = 0) {
    out_ += "<rect x=\"" + px(x) + "\" y=\"" + px(y) + "\" width=\"" + px(w) + "\" height=\"" + px(h) + "\"";
    if (radius > 0) out_ += " rx=\"" + px(radius) + "\"";
    out_ += " class=\"" + std::string(look) + "\"/>\n";
  }
  void circle(double x, double y, double r, std::string_view look) {
    out_ +=
        "<circle cx=\"" + px(x) + "\" cy=\"" + px(y) + "\" r=\"" + px(r) + "\" class=\"" + std::string(look) + "\"/>\n";
  }

  std::string end() { return std::move(out_) + "</svg>\n"; }

 private:
  std::string out_;
};

// Where the intervals of a run lie from left to right.
class run_axis {
 public:
  run_axis(const run_curves &axis, double left) : axis_(axis), left_(left) {}

  [[nodiscard]] double at(double position) const { return left_ + (plot_right - left_) * position / axis_.span; }
  [[nodiscard]] double edge(size_t interval) const {
    return at(axis_.span * static_cast<double>(interval) / static_cast<double>(axis_.intervals));
  }
  [[nodiscard]] double middle(size_t interval) const { return (edge(interval) + edge(interval + 1)) / 2; }

  void draw(svg &to, double bottom) const {
    const auto ticks = axis_.by_time ? time_ticks(axis_.span, 8) : number_ticks(axis_.span, 8);
    to.line(left_, bottom, plot_right, bottom, "base");
    for (const tick &t : ticks) {
      to.line(at(t.at), bottom, at(t.at), bottom + 5, "base");
      to.text(at(t.at), bottom + 19, "tick mid", t.text);
    }
    const std::string title =
        axis_.by_time ? "virtual time, " + std::string(unit_of(axis_.span).name) : "placements, one after the other";
    to.text(plot_right, bottom + 37, "axis end", title);
  }

 private:
  const run_curves &axis_;
  double left_;
};

class value_axis {
 public:
  value_axis(double most, y_scale scale) : most_(most), scale_(scale) {
    ticks_ = scale == y_scale::percents ? number_ticks(most, most > 1 ? 5 : 4, 100) : number_ticks(most, 4);
    if (scale == y_scale::percents && most == 1) {
      ticks_ = {{0, "0"}, {0.25, "25"}, {0.5, "50"}, {0.75, "75"}, {1, "100"}};
    }
  }

  [[nodiscard]] double at(double value) const {
    return plot_top + plot_height * (1 - std::clamp(value, 0.0, most_) / most_);
  }

  void draw(svg &to, const std::string &title) const {
    for (const tick &t : ticks_) {
      if (t.at > 0) to.line(narrow_left, at(t.at), plot_right, at(t.at), "grid");
      to.text(narrow_left - 8, at(t.at) + 4, "tick end", t.text + (scale_ == y_scale::percents ? "%" : ""));
    }
    to.text(0, 14, "axis", title);
  }

 private:
  double most_;
  y_scale scale_;
  std::vector<tick> ticks_;
};

// A line through the middles of the intervals, broken where there is no value.
std::string line_path(const curve &values, const run_axis &x, const value_axis &y) {
  std::string out;
  bool drawing = false;
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      drawing = false;
      continue;
    }
    // The ends of a line lie on the edges, so that one interval alone is seen as well.
    const bool last = i + 1 == values.size() || std::isnan(values[i + 1]);
    const std::string height = px(y.at(values[i]));
    if (!drawing) out += "M" + px(x.edge(i)) + " " + height;
    out += "L" + px(x.middle(i)) + " " + height;
    if (last) out += "L" + px(x.edge(i + 1)) + " " + height;
    drawing = true;
  }
  return out;
}

// The area between two curves without gaps.
std::string band_path(const curve &below, const curve &above, const run_axis &x, const value_axis &y) {
  std::string out;
  const size_t count = above.size();
  for (size_t i = 0; i < count; ++i) {
    const std::string height = px(y.at(above[i]));
    if (i == 0) out += "M" + px(x.edge(0)) + " " + height;
    out += "L" + px(x.middle(i)) + " " + height;
    if (i + 1 == count) out += "L" + px(x.edge(count)) + " " + height;
  }
  for (size_t i = count; i-- > 0;) {
    const std::string height = px(y.at(below[i]));
    if (i + 1 == count) out += "L" + px(x.edge(count)) + " " + height;
    out += "L" + px(x.middle(i)) + " " + height;
    if (i == 0) out += "L" + px(x.edge(0)) + " " + height;
  }
  return out + "Z";
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

// Seconds on a logarithmic axis that begins at one second; what is below lies on a place of its own.
class wait_axis {
 public:
  explicit wait_axis(double most) : most_(std::max(most, 10.0)) {}

  [[nodiscard]] double at(double seconds) const {
    if (seconds < 1) return wide_left + 14;
    return first_ + (plot_right - 10 - first_) * std::log(seconds) / std::log(most_);
  }

  void draw(svg &to, double top, double bottom) const {
    to.text(at(0), bottom + 19, "tick mid", "< 1 s");
    struct named {
      double seconds;
      const char *text;
    };
    constexpr std::array places = {named{1, "1 s"},
                                   named{10, "10 s"},
                                   named{60, "1 min"},
                                   named{600, "10 min"},
                                   named{3600, "1 h"},
                                   named{21'600, "6 h"},
                                   named{86'400, "1 day"},
                                   named{604'800, "7 days"},
                                   named{2'592'000, "30 days"},
                                   named{31'536'000, "1 year"}};
    for (const named &place : places) {
      if (place.seconds > most_ * 1.0001) continue;
      to.line(at(place.seconds), top, at(place.seconds), bottom, "grid");
      to.text(at(place.seconds), bottom + 19, "tick mid", place.text);
    }
    to.line(wide_left, bottom, plot_right, bottom, "base");
    to.text(plot_right, bottom + 37, "axis end", "from submission to placement, logarithmic");
  }

 private:
  static constexpr double first_ = wide_left + 60;
  double most_;
};

}  // namespace

chart_frame frame_of_lines() { return {narrow_left, plot_right, plot_top, plot_top + plot_height, 0}; }

chart_frame frame_of_satisfaction(size_t queues) {
  constexpr double row = 20, top = 10;
  return {wide_left, plot_right, top, top + row * static_cast<double>(queues), row};
}

std::string colour_of(size_t index) { return index < 8 ? "c" + std::to_string(index + 1) : "rest"; }

std::string line_chart(const chart_text &text, const run_curves &axis, const std::vector<chart_line> &lines,
                       y_scale scale) {
  svg out(text, plot_top + plot_height + axis_room);
  const double most = most_of(lines);
  const value_axis y(scale == y_scale::percents ? percents_up_to(most) : std::max(most * 1.05, 1.0), scale);
  const run_axis x(axis, narrow_left);
  y.draw(out, text.y_title);
  for (const chart_line &line : lines) {
    if (line.filled) out.path(band_path(curve(line.values->size(), 0), *line.values, x, y), "wash f-" + line.colour);
    out.path(line_path(*line.values, x, y), "curve s-" + line.colour);
  }
  x.draw(out, plot_top + plot_height);
  return out.end();
}

std::string stacked_chart(const chart_text &text, const run_curves &axis, const std::vector<chart_line> &layers) {
  svg out(text, plot_top + plot_height + axis_room);
  curve below(axis.intervals, 0);
  double most = 1;
  for (const chart_line &layer : layers) {
    for (size_t i = 0; i < below.size(); ++i) most = std::max(most, below[i] += (*layer.values)[i]);
  }
  const value_axis y(percents_up_to(most), y_scale::percents);
  const run_axis x(axis, narrow_left);
  y.draw(out, text.y_title);
  below.assign(axis.intervals, 0);
  for (const chart_line &layer : layers) {
    curve above = below;
    for (size_t i = 0; i < above.size(); ++i) above[i] += (*layer.values)[i];
    out.path(band_path(below, above, x, y), "layer f-" + layer.colour);
    below = std::move(above);
  }
  x.draw(out, plot_top + plot_height);
  return out.end();
}

std::vector<std::pair<std::string, std::string>> satisfaction_steps() {
  return {{"h0", "under 25%"}, {"h1", "25–50%"},   {"h2", "50–75%"},        {"h3", "75–95%"},
          {"h4", "its share"}, {"h5", "105–150%"}, {"h6", "more than 150%"}};
}

std::string satisfaction_chart(const chart_text &text, const run_curves &curves) {
  constexpr double cell = 16;
  const chart_frame frame = frame_of_satisfaction(curves.queues.size());
  svg out(text, frame.bottom + axis_room);
  const run_axis x(curves, frame.left);
  for (size_t q = 0; q < curves.queues.size(); ++q) {
    const queue_curves &queue = curves.queues[q];
    const double y = frame.top + frame.row * static_cast<double>(q);
    out.text(wide_left - 10, y + 12, "name end", shortened(queue.name, name_length), queue.name);
    for (size_t i = 0; i < queue.satisfied.size();) {
      if (std::isnan(queue.satisfied[i])) {
        ++i;
        continue;
      }
      const size_t step = step_of(queue.satisfied[i]);
      size_t end = i + 1;
      while (end < queue.satisfied.size() && !std::isnan(queue.satisfied[end]) &&
             step_of(queue.satisfied[end]) == step) {
        ++end;
      }
      out.rect(x.edge(i), y, x.edge(end) - x.edge(i), cell, "h" + std::to_string(step));
      i = end;
    }
  }
  x.draw(out, frame.bottom);
  return out.end();
}

std::string waiting_chart(const chart_text &text, const std::vector<std::pair<std::string, waiting>> &queues) {
  constexpr double row = 24, top = 6;
  const double bottom = top + row * static_cast<double>(queues.size());
  svg out(text, bottom + axis_room);
  double most = 0;
  for (const auto &[name, wait] : queues) most = std::max(most, wait.most);
  const wait_axis x(most);
  x.draw(out, top, bottom);
  for (size_t q = 0; q < queues.size(); ++q) {
    const auto &[name, wait] = queues[q];
    const double y = top + row * (static_cast<double>(q) + 0.5);
    out.text(wide_left - 10, y + 4, "name end", shortened(name, name_length), name);
    out.line(x.at(wait.p50), y, x.at(wait.most), y, "thin s-c1");
    out.rect(x.at(wait.p50), y - 5, std::max(x.at(wait.p90) - x.at(wait.p50), 0.0), 10, "part f-c1", 2);
    out.line(x.at(wait.p99), y - 6, x.at(wait.p99), y + 6, "mark s-c1");
    out.circle(x.at(wait.most), y, 3, "hollow s-c1");
    out.circle(x.at(wait.p50), y, 5, "dot f-c1");
  }
  return out.end();
}

}  // namespace tenon::cli
