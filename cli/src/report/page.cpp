// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "report/page.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>

#include "report/charts.hpp"
#include "report/page_style.hpp"
#include "report/words.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

// Layers of the stacked chart with a colour of their own, rows of the chart of waits, rows of tables.
constexpr size_t most_layers = 8, most_rows = 40, most_table_rows = 500;

std::string element(std::string_view tag, const std::string &inside, std::string_view look = {}) {
  std::string out = "<" + std::string(tag);
  if (!look.empty()) out += " class=\"" + std::string(look) + "\"";
  return out + ">" + inside + "</" + std::string(tag) + ">\n";
}

std::string swatch(std::string_view look) {
  return "<svg viewBox=\"0 0 14 14\" aria-hidden=\"true\"><rect width=\"14\" height=\"14\" rx=\"3\" class=\"" +
         std::string(look) + "\"/></svg>";
}

std::string legend(const std::vector<std::pair<std::string, std::string>> &entries) {
  std::string items;
  for (const auto &[look, words] : entries) items += element("li", swatch(look) + escaped(words));
  return "<ul class=\"legend\">\n" + items + "</ul>\n";
}

std::string row_of(std::string_view cell, const std::vector<std::string> &texts) {
  std::string cells = element("th", escaped(texts.front()));
  cells.insert(3, cell == "th" ? " scope=\"col\"" : " scope=\"row\"");
  for (size_t i = 1; i < texts.size(); ++i) {
    cells += cell == "th" ? "<th scope=\"col\">" + escaped(texts[i]) + "</th>\n" : element(cell, escaped(texts[i]));
  }
  return element("tr", "\n" + cells);
}

std::string table(std::string_view caption, const std::vector<std::string> &head,
                  const std::vector<std::vector<std::string>> &rows, const std::vector<std::string> &foot = {}) {
  std::string body;
  for (const auto &row : rows) body += row_of("td", row);
  std::string out = "<div class=\"wide\" tabindex=\"0\"><table>\n" + element("caption", escaped(caption)) +
                    element("thead", "\n" + row_of("th", head)) + element("tbody", "\n" + body);
  if (!foot.empty()) out += element("tfoot", "\n" + row_of("td", foot));
  return out + "</table></div>\n";
}

std::vector<std::string> wait_cells(const std::string &name, const waiting &w) {
  return {name,
          grouped(w.placed),
          duration_words(w.mean),
          duration_words(w.p50),
          duration_words(w.p90),
          duration_words(w.p99),
          duration_words(w.most)};
}

double average_of(const curve &values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

class page {
 public:
  page(const run_report &report, const run_curves &curves,
       const std::vector<std::pair<std::string, std::string>> &settings)
      : report_(report), run_(report.counted), curves_(curves), settings_(settings) {}

  std::string make() {
    std::string body = head() + tiles();
    if (curves_.use.empty()) {
      body += section("Nothing to draw", "Nothing was placed, or there were no nodes.", "");
    } else {
      body += use();
      body += share();
      if (curves_.by_time) {
        body += waiting_asks();
        body += waits();
        body += fairness();
      }
      body += fragmentation();
    }
    body += figures();
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<meta name=\"generator\" content=\"tenon simulate\">\n" +
           element("title", "Simulation: " + escaped(report_.origin)) + "<style>" + std::string(page_style) +
           "</style>\n</head>\n<body>\n<main>\n" + body + "</main>\n<script type=\"application/json\" id=\"values\">" +
           values() + "</script>\n<script>" + std::string(page_script) + "</script>\n</body>\n</html>\n";
  }

 private:
  static std::string section(const std::string &title, const std::string &words, const std::string &inside) {
    return element("section", "\n" + element("h2", escaped(title)) + element("p", escaped(words)) + inside);
  }
  // May be wider than the window: then it scrolls, with keys too.
  static std::string drawn(const std::string &chart) {
    return "<div class=\"wide\" tabindex=\"0\">\n" + chart + "</div>\n";
  }

  // The average, or what it is at the end where there is no time.
  [[nodiscard]] double shown_use(const curve &used) const {
    return curves_.by_time ? average_of(used) : used.empty() ? 0 : used.back();
  }
  [[nodiscard]] std::string over() const { return curves_.by_time ? "over time" : "while the cluster fills"; }

  [[nodiscard]] std::string head() const {
    return element("header", "\n" + element("h1", "Simulation report") + element("p", escaped(report_.origin)));
  }

  [[nodiscard]] std::string tiles() const {
    std::string out;
    const auto tile = [&](const std::string &name, const std::string &value, const std::string &more) {
      out += element(
          "li", element("span", escaped(name)) + element("strong", escaped(value)) + element("span", escaped(more)));
    };
    tile("Placed", grouped(run_.placed),
         run_.rejected > 0 ? grouped(run_.pending) + " pending, " + grouped(run_.rejected) + " rejected"
                           : grouped(run_.pending) + " pending");
    if (const auto main = run_.use.find(curves_.main_type); main != run_.use.end()) {
      tile("Use of " + main->first, percent(main->second.average),
           curves_.by_time ? percent(main->second.peak) + " at its peak" : "at the end");
    }
    if (curves_.by_time)
      tile("Median wait", duration_words(run_.all_waits.p50), "99 of 100: " + duration_words(run_.all_waits.p99));
    if (!std::isnan(curves_.average_fairness)) {
      tile("Fairness", percent(curves_.average_fairness), "Jain’s index while asks wait");
    }
    if (!std::isnan(curves_.average_scattered)) {
      tile("Free, but scattered", percent(curves_.average_scattered), "of the free " + curves_.main_type);
    }
    if (curves_.by_time) {
      tile("Virtual time", duration_words(run_.makespan_s), grouped(run_.nodes) + " nodes");
    } else {
      tile("Nodes", grouped(run_.nodes), "everything at one time");
    }
    return "<ul class=\"tiles\">\n" + out + "</ul>\n";
  }

  std::string use() {
    std::vector<chart_line> lines;
    std::vector<std::pair<std::string, std::string>> names;
    std::string desc = "Use of each resource type, in percent of its capacity: ";
    for (size_t i = 0; i < curves_.use.size(); ++i) {
      const named_curve &type = curves_.use[i];
      lines.push_back({type.name, colour_of(i), &type.values, type.name == curves_.main_type});
      const utilisation &u = run_.use.at(type.name);
      const std::string words =
          type.name + ": " + percent(u.average) +
          (curves_.by_time ? " on average, " + percent(u.peak) + " at its peak" : std::string(" at the end"));
      names.emplace_back("f-" + colour_of(i), words);
      desc += words + (i + 1 < curves_.use.size() ? "; " : ".");
    }
    const chart_text text{"use", "Use of the capacity " + over(), desc, "part of the capacity"};
    keep(text, lines, true, frame_of_lines());
    return section(text.title, "What runs, as a part of what all nodes have.",
                   legend(names) + drawn(line_chart(text, curves_, lines, y_scale::percents)));
  }

  std::string share() {
    std::vector<chart_line> layers;
    std::vector<std::pair<std::string, std::string>> names;
    others_ = curves_.used_by_others;
    size_t others = curves_.others;
    for (size_t i = 0; i < curves_.queues.size(); ++i) {
      const queue_curves &queue = curves_.queues[i];
      if (i < most_layers) {
        layers.push_back({queue.name, colour_of(i), &queue.used});
        names.emplace_back("f-" + colour_of(i), queue.name + ": " + percent(shown_use(queue.used)));
        continue;
      }
      ++others;
      for (size_t at = 0; at < others_.size(); ++at) others_[at] += queue.used[at];
    }
    if (others > 0) {
      const std::string name = others == 1 ? "one more queue" : grouped(others) + " more queues";
      layers.push_back({name, "rest", &others_});
      names.emplace_back("f-rest", name + ": " + percent(shown_use(others_)));
    }
    const chart_text text{"share", "Who uses the " + curves_.main_type,
                          "What each queue uses, stacked, in percent of the capacity. The largest is " +
                              (curves_.queues.empty() ? std::string("none") : curves_.queues.front().name) + ".",
                          "part of the capacity"};
    keep(text, layers, true, frame_of_lines());
    return section(text.title,
                   curves_.by_time
                       ? "The resource that is used most, by queue; beside the names the average of the run."
                       : "The resource that is used most, by queue; beside the names what they have at the end.",
                   legend(names) + drawn(stacked_chart(text, curves_, layers)));
  }

  std::string waiting_asks() {
    const std::vector<chart_line> lines{{"asks that wait", "c1", &curves_.waiting, true}};
    const double most = curves_.waiting.empty() ? 0 : *std::max_element(curves_.waiting.begin(), curves_.waiting.end());
    const chart_text text{"waiting", "Asks that wait " + over(),
                          "Number of pending asks. At most " + grouped(static_cast<uint64_t>(std::llround(most))) + ".",
                          "asks"};
    keep(text, lines, false, frame_of_lines());
    return section(text.title, "Submitted and not placed, placeholders included.",
                   drawn(line_chart(text, curves_, lines, y_scale::counts)));
  }

  [[nodiscard]] std::string waits() const {
    std::vector<std::pair<std::string, waiting>> rows(run_.waits.begin(), run_.waits.end());
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto &a, const auto &b) { return a.second.placed > b.second.placed; });
    std::string words = "From submission to placement, by queue, those with the most placed asks first.";
    if (rows.size() > most_rows) {
      words += " " + grouped(rows.size() - most_rows) + " more queues are in the table below.";
      rows.resize(most_rows);
    }
    if (rows.empty()) return "";
    const chart_text text{"waits", "Waiting time by queue",
                          "A row for each queue: median, nine tenths, 99 of 100 and the longest wait, on a logarithmic "
                          "axis. The figures are in the table of queues.",
                          ""};
    const std::string keys =
        "<ul class=\"legend\">\n"
        "<li><svg viewBox=\"0 0 14 14\" aria-hidden=\"true\"><circle cx=\"7\" cy=\"7\" r=\"5\" class=\"f-c1\"/></svg>"
        "median</li>\n"
        "<li><svg viewBox=\"0 0 34 14\" class=\"key\" aria-hidden=\"true\"><rect x=\"2\" y=\"2\" width=\"30\" "
        "height=\"10\" rx=\"2\" class=\"part f-c1\"/></svg>to nine tenths</li>\n"
        "<li><svg viewBox=\"0 0 14 14\" aria-hidden=\"true\"><line x1=\"7\" y1=\"1\" x2=\"7\" y2=\"13\" class=\"mark "
        "s-c1\"/></svg>99 of 100</li>\n"
        "<li><svg viewBox=\"0 0 14 14\" aria-hidden=\"true\"><circle cx=\"7\" cy=\"7\" r=\"3.5\" class=\"hollow "
        "s-c1\"/></svg>longest</li>\n</ul>\n";
    return section(text.title, words, keys + drawn(waiting_chart(text, rows)));
  }

  std::string fairness() {
    const std::vector<chart_line> lines{{"Jain’s index", "c3", &curves_.fairness}};
    const chart_text index{
        "fairness", "Fairness " + over(),
        "Jain's index of what the queues have of their fair share, in percent, while asks wait. " +
            (std::isnan(curves_.average_fairness) ? std::string("No ask waited.")
                                                  : "On average " + percent(curves_.average_fairness) + "."),
        "Jain’s index"};
    const chart_text rows{
        "satisfied", "What each queue has of its fair share",
        "A row for each queue, coloured by its use as a part of its fair share: under 25%, 25 to 50%, 50 "
        "to 75%, 75 to 95%, about its share, up to 150%, more. Empty where it wants nothing.",
        ""};
    keep(index, lines, true, frame_of_lines());
    std::vector<chart_line> queue_lines;
    for (const queue_curves &queue : curves_.queues) queue_lines.push_back({queue.name, "", &queue.satisfied});
    keep(rows, queue_lines, true, frame_of_satisfaction(queue_lines.size()));
    std::vector<std::pair<std::string, std::string>> steps = satisfaction_steps();
    steps.emplace_back("hollow-swatch", "wants nothing");
    return section(
        index.title,
        "The fair share of a queue is what it would have if every parent gave all children that want something "
        "equally much: the largest part of any resource counts, measured against guarantees where there are "
        "some. The index is 100% where all queues have the same part of theirs; there is no line while nobody "
        "waits.",
        drawn(line_chart(index, curves_, lines, y_scale::percents)) + element("h3", escaped(rows.title)) +
            legend(steps) + drawn(satisfaction_chart(rows, curves_)));
  }

  std::string fragmentation() {
    const std::vector<chart_line> lines{{"scattered", "c2", &curves_.scattered}, {"stranded", "c4", &curves_.stranded}};
    const std::string &type = curves_.main_type;
    const chart_text text{"fragmentation", "Fragmentation " + over(),
                          "Parts of the free " + type + ", in percent: scattered, on average " +
                              percent(curves_.average_scattered) + "; stranded, on average " +
                              percent(curves_.average_stranded) + ".",
                          "part of the free " + type};
    keep(text, lines, true, frame_of_lines());
    return section(text.title,
                   "Scattered is what lies on nodes that are used in part. Stranded is what a typical ask of this load "
                   "cannot use, because its node has not enough of it, or of something else. No line: nothing is free.",
                   legend({{"f-c2", "scattered: " + percent(curves_.average_scattered) + " on average"},
                           {"f-c4", "stranded: " + percent(curves_.average_stranded) + " on average"}}) +
                       drawn(line_chart(text, curves_, lines, y_scale::percents)));
  }

  [[nodiscard]] std::string figures() const {
    std::string out;
    std::vector<std::vector<std::string>> rows;
    for (const auto &[queue, w] : run_.waits) {
      if (rows.size() < most_table_rows) rows.push_back(wait_cells(queue.empty() ? "(no queue)" : queue, w));
    }
    std::vector<std::string> columns{"Queue", "Placed", "Mean", "Median", "90%", "99%", "Longest"};
    std::vector<std::string> together = wait_cells("All queues", run_.all_waits);
    std::string caption = "Waiting by queue";
    if (!curves_.by_time) {  // nobody waited
      caption = "Placed by queue";
      columns.resize(2);
      together.resize(2);
      for (auto &row : rows) row.resize(2);
    }
    if (run_.waits.size() > rows.size()) {
      caption += "; the summary has " + grouped(run_.waits.size() - rows.size()) + " more queues";
    }
    out += table(caption, columns, rows, together);
    rows.clear();
    for (const auto &[type, u] : run_.use) rows.push_back({type, percent(u.average), percent(u.peak)});
    out += table("Use of the capacity", {"Resource", curves_.by_time ? "Average" : "At the end", "Peak"}, rows);
    out += reasons("Pending at the end", run_.pending, run_.pending_reasons);
    out += reasons("Rejected", run_.rejected, run_.rejection_reasons);
    out += reasons("Left out of the trace", run_.skipped, run_.skipped_reasons);
    std::string list;
    const auto entry = [&](const std::string &name, const std::string &value) {
      list += element("dt", escaped(name)) + element("dd", escaped(value));
    };
    for (const auto &[name, value] : settings_) entry(name, value);
    entry("Nodes", grouped(run_.nodes));
    entry("Virtual time", duration_words(run_.makespan_s));
    entry("Commands", grouped(run_.commands));
    entry("Decisions", grouped(run_.decisions));
    if (run_.preempted > 0) entry("Preempted", grouped(run_.preempted));
    if (run_.gpus_placed > 0)
      entry("GPUs placed", run_.gpus_placed == std::floor(run_.gpus_placed)
                               ? grouped(static_cast<uint64_t>(run_.gpus_placed))
                               : decimal(run_.gpus_placed, 1));
    return element("section",
                   "\n" + element("h2", "Figures") + out + element("h3", "The run") + element("dl", "\n" + list));
  }

  static std::string reasons(const std::string &title, uint64_t count, const std::map<std::string, uint64_t> &of) {
    if (count == 0) return "";
    std::vector<std::pair<std::string, uint64_t>> sorted(of.begin(), of.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
    std::vector<std::vector<std::string>> rows;
    for (const auto &[reason, number] : sorted) {
      if (rows.size() < most_table_rows) rows.push_back({reason, grouped(number)});
    }
    return table(title, {"Reason", "Asks"}, rows, {"Together", grouped(count)});
  }

  // The values of a chart, for the pointer.
  void keep(const chart_text &text, const std::vector<chart_line> &lines, bool percents, const chart_frame &frame) {
    json::array all;
    for (const chart_line &line : lines) {
      json::array values;
      for (const double value : *line.values) {
        values.push_back(std::isnan(value) ? json::value(nullptr) : json::value(value));
      }
      all.push_back(json::object{{"name", line.name}, {"colour", line.colour}, {"values", std::move(values)}});
    }
    charts_.push_back(json::object{{"id", text.id},
                                   {"left", frame.left},
                                   {"right", frame.right},
                                   {"top", frame.top},
                                   {"bottom", frame.bottom},
                                   {"row", frame.row},
                                   {"percents", percents},
                                   {"lines", std::move(all)}});
  }

  [[nodiscard]] std::string values() const {
    const time_unit unit = unit_of(curves_.span);
    std::string text =
        json::serialize(json::object{{"time", curves_.by_time},
                                     {"unit", unit.name},
                                     {"span", curves_.by_time ? curves_.span / unit.seconds : curves_.span},
                                     {"intervals", curves_.intervals},
                                     {"charts", charts_}});
    // Nothing in it may end the element that holds it.
    for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) text.replace(at, 1, "\\u003c");
    return text;
  }

  const run_report &report_;
  const run_summary &run_;
  const run_curves &curves_;
  const std::vector<std::pair<std::string, std::string>> &settings_;
  curve others_;
  json::array charts_;
};

}  // namespace

std::string report_page(const run_report &report, const run_curves &curves,
                        const std::vector<std::pair<std::string, std::string>> &settings) {
  return page(report, curves, settings).make();
}

}  // namespace tenon::cli
