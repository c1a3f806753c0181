// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "report/report_page.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>

#include "report/charts.hpp"
#include "report/html.hpp"
#include "report/page_style.hpp"
#include "report/page_tables.hpp"
#include "run/formats.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

// Layers of the stacked chart with a colour of their own, and rows of charts.
constexpr size_t most_layers = 8, most_rows = 40;

// What belongs to the second run.
constexpr const char *other_colour = "c2";

double average_of(const curve &values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// Where the script finds the values of a line: in the run that the page holds.
json::array place(const char *run, const char *name) { return {run, "curves", name}; }

class page {
 public:
  page(const run_record &run, const run_record *other) : run_(run), other_(other) {
    runs_.push_back(&run);
    if (other != nullptr) runs_.push_back(other);
  }

  std::string make(const std::string &first) {
    std::string body = head() + first + findings() + tiles();
    if (run_.curves.use.empty()) {
      body += page_section("Nothing to draw", "Nothing was placed, or there were no nodes.", "");
    } else {
      body += allocation();
      body += use();
      body += share();
      if (by_time()) {
        body += waiting_asks();
        body += jobs();
        body += waits_by_queue();
        body += waits_by_size();
        body += fairness();
      }
      body += fragmentation();
      body += preemptions();
    }
    body += tables_of(runs_);
    const std::string title = (two() ? "Two runs: " + run_.label + ", " + other_->label : "Simulation: " + run_.origin);
    const auto script = [](const char *id, const std::string &text) {
      return "<script type=\"application/json\" id=\"" + std::string(id) + "\">" + text + "</script>\n";
    };
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<meta name=\"generator\" content=\"tenon simulate\">\n" +
           element("title", escaped(title)) + "<style>" + std::string(page_style) +
           "</style>\n</head>\n<body>\n<main>\n" + body + "</main>\n" + script("run", to_json(run_)) +
           (two() ? script("other", to_json(*other_)) : "") + script("charts", charts()) + "<script>" +
           std::string(page_script) + "</script>\n</body>\n</html>\n";
  }

 private:
  [[nodiscard]] bool two() const { return other_ != nullptr; }
  // Both go by time, or else neither is drawn so.
  [[nodiscard]] bool by_time() const {
    return std::all_of(runs_.begin(), runs_.end(), [](const run_record *r) { return r->curves.by_time; });
  }
  [[nodiscard]] std::string over() const { return by_time() ? "over time" : "while the cluster fills"; }
  [[nodiscard]] static const char *name_of(size_t run) { return run == 0 ? "run" : "other"; }
  // Of something that is drawn once for each run.
  [[nodiscard]] std::string id_of(const std::string &name, size_t run) const {
    return run == 0 ? name : name + "-other";
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> run_legend() const {
    if (!two()) return {};
    return {{"f-c1", run_.label}, {"f-c2 dashes", other_->label}};
  }

  // The average, or what it is at the end where there is no time.
  static double shown_use(const run_record &run, const curve &used) {
    return run.curves.by_time ? average_of(used) : used.empty() ? 0 : used.back();
  }

  [[nodiscard]] std::string head() const {
    std::string out = element("h1", two() ? "Two runs side by side" : "Simulation report");
    for (const run_record *run : runs_) {
      out += element("p", (two() ? "<b>" + escaped(run->label) + "</b>: " : "") + escaped(run->origin));
      if (run->begins_ms == 0) continue;
      const int64_t end_ms = run->begins_ms + static_cast<int64_t>(run->counted.makespan_s * 1000);
      out += element("p", escaped("From " + date_text(run->begins_ms) + " to " + date_text(end_ms) + ", UTC"));
    }
    return element("header", "\n" + out);
  }

  [[nodiscard]] std::string findings() const {
    std::string out;
    for (const run_record *run : runs_) {
      for (const std::string &finding : run->counted.findings) {
        out += element("p", (two() ? "<b>" + escaped(run->label) + "</b>: " : "") + escaped(finding) + ".");
      }
    }
    return out.empty() ? out : "<section class=\"finding\">\n" + element("h2", "Finding") + out + "</section>\n";
  }

  // `value` and `more` of each run; the second one's value stands below the first.
  template <class Value, class More>
  void tile(std::string &to, const std::string &name, Value &&value, More &&more) const {
    std::string inside = element("span", escaped(name)) + element("strong", escaped(value(run_)));
    inside += element("span", escaped(two() ? other_->label + ": " + value(*other_) : more(run_)));
    to += element("li", inside);
  }

  [[nodiscard]] std::string tiles() const {
    std::string out;
    const auto nothing = [](const run_record &) { return std::string(); };
    const auto any = [&](auto &&which) { return std::any_of(runs_.begin(), runs_.end(), which); };
    tile(
        out, "Placed", [](const run_record &r) { return grouped(r.counted.placed); },
        [](const run_record &r) {
          const std::string pending = grouped(r.counted.pending) + " pending";
          return r.counted.rejected > 0 ? pending + ", " + grouped(r.counted.rejected) + " rejected" : pending;
        });
    if (two())
      tile(
          out, "Pending", [](const run_record &r) { return grouped(r.counted.pending); }, nothing);
    const std::string &type = run_.curves.main_type;
    const auto use_of = [&](const run_record &r) {
      const auto found = r.counted.use.find(type);
      return found == r.counted.use.end() ? utilisation{} : found->second;
    };
    if (!type.empty()) {
      tile(
          out, "Use of " + type, [&](const run_record &r) { return percent(use_of(r).average); },
          [&](const run_record &r) { return by_time() ? percent(use_of(r).peak) + " at its peak" : "at the end"; });
    }
    if (by_time()) {
      tile(
          out, "Median wait", [](const run_record &r) { return words_of(r.counted.all_waits.p50); },
          [](const run_record &r) { return "99 of 100: " + words_of(r.counted.all_waits.p99); });
      tile(
          out, "Bounded slowdown", [](const run_record &r) { return times_text(r.jobs.slowdown.mean); },
          [](const run_record &r) { return "median " + times_text(r.jobs.slowdown.p50); });
    }
    if (any([](const run_record *r) { return !std::isnan(r->curves.average_fairness); })) {
      tile(
          out, "Fairness", [](const run_record &r) { return percent(r.curves.average_fairness); },
          [](const run_record &) { return std::string("Jain’s index while asks wait"); });
    }
    if (any([](const run_record *r) { return !std::isnan(r->curves.average_scattered); })) {
      tile(
          out, "Free, but scattered", [](const run_record &r) { return percent(r.curves.average_scattered); },
          [&](const run_record &) { return "of the free " + type; });
    }
    if (any([](const run_record *r) { return r->counted.preempted > 0; })) {
      tile(
          out, "Preempted", [](const run_record &r) { return grouped(r.counted.preempted); },
          [](const run_record &) { return std::string("gave way to others"); });
    }
    const auto nodes = [](const run_record &r) { return grouped(r.counted.nodes); };
    if (by_time()) {
      tile(
          out, "Virtual time", [](const run_record &r) { return duration_text(r.counted.makespan_s); },
          [&](const run_record &r) { return nodes(r) + " nodes"; });
    } else {
      tile(out, "Nodes", nodes, [](const run_record &) { return std::string("everything at one time"); });
    }
    return "<ul class=\"tiles\">\n" + out + "</ul>\n";
  }

  // One picture for each run, which do not go into one.
  template <class Draw>
  [[nodiscard]] std::string each(Draw &&draw) {
    if (!two()) return draw(run_, 0);
    std::vector<std::string> parts;
    for (size_t i = 0; i < runs_.size(); ++i) {
      parts.push_back(element("h3", escaped(runs_[i]->label)) + draw(*runs_[i], i));
    }
    return beside(parts);
  }

  // Where asks arrived one after the other.
  std::string allocation() {
    size_t points = 0;
    for (const run_record *run : runs_) points = std::max(points, run->counted.allocation.size());
    if (points == 0) return "";
    const run_axis axis{false,  static_cast<double>(points - 1),          0,
                        points, "GPUs asked for so far, per cent of all", "per cent asked for:"};
    std::vector<curve> padded;
    for (const run_record *run : runs_) {
      padded.push_back(run->counted.allocation);
      padded.back().resize(points, std::nan(""));
    }
    std::vector<chart_line> lines;
    json::array kept;
    for (size_t i = 0; i < runs_.size(); ++i) {
      const std::string colour = i == 0 ? "c1" : other_colour;
      const std::string name = two() ? runs_[i]->label : "GPUs placed";
      lines.push_back({name, colour, &padded[i], !two(), i == 1});
      kept.push_back(values_line(name, colour, padded[i]));
    }
    const chart_text text{"allocation", "Allocation against arrival",
                          "GPUs that are placed, in percent of all, as asks for more and more of them have arrived.",
                          "GPUs placed"};
    keep(text, 0, "percents", std::move(kept), axis);
    return page_section(text.title, "Asks arrive one after the other; what finds no place at once is not tried again.",
                        legend(run_legend()) + line_chart(text, axis, lines, y_scale::percents));
  }

  std::string use() {
    double most = 0;
    for (const run_record *run : runs_) {
      for (const named_curve &type : run->curves.use) {
        most = std::max(most, *std::max_element(type.values.begin(), type.values.end()));
      }
    }
    const std::string title = "Use of the capacity " + over();
    return page_section(
        title, "What runs, as a part of what all nodes have.", each([&](const run_record &run, size_t at) {
          std::vector<chart_line> lines;
          std::vector<std::pair<std::string, std::string>> names;
          std::string desc = "Use of each resource type, in percent of its capacity: ";
          json::array kept;
          for (size_t i = 0; i < run.curves.use.size(); ++i) {
            const named_curve &type = run.curves.use[i];
            lines.push_back({type.name, colour_of(i), &type.values, type.name == run.curves.main_type});
            const utilisation &u = run.counted.use.at(type.name);
            const std::string label =
                type.name + ": " + percent(u.average) +
                (run.curves.by_time ? " on average, " + percent(u.peak) + " at its peak" : " at the end");
            names.emplace_back("f-" + colour_of(i), label);
            desc += label + (i + 1 < run.curves.use.size() ? "; " : ".");
            kept.push_back(line(type.name, colour_of(i), {name_of(at), "curves", "use", i, "values"}));
          }
          const chart_text text{id_of("use", at), title, desc, "part of the capacity"};
          keep(text, at, "percents", std::move(kept));
          return legend(names) + line_chart(text, axis_of(run.curves, run.begins_ms), lines, y_scale::percents, most);
        }));
  }

  std::string share() {
    const std::string title = "Who uses the " + run_.curves.main_type;
    return page_section(title,
                        by_time()
                            ? "The resource that is used most, by queue; beside the names the average of the run."
                            : "The resource that is used most, by queue; beside the names what they have at the end.",
                        each([&](const run_record &run, size_t at) { return share_of(run, at, title); }));
  }

  std::string share_of(const run_record &run, size_t at, const std::string &title) {
    const run_curves &curves = run.curves;
    std::vector<chart_line> layers;
    std::vector<std::pair<std::string, std::string>> names;
    json::array kept;
    curve rest = curves.used_by_others;
    size_t others = curves.others;
    for (size_t i = 0; i < curves.queues.size(); ++i) {
      const queue_curves &queue = curves.queues[i];
      if (i < most_layers) {
        layers.push_back({queue.name, colour_of(i), &queue.used});
        names.emplace_back("f-" + colour_of(i), queue.name + ": " + percent(shown_use(run, queue.used)));
        kept.push_back(line(queue.name, colour_of(i), {name_of(at), "curves", "queues", i, "used"}));
        continue;
      }
      ++others;
      for (size_t k = 0; k < rest.size(); ++k) rest[k] += queue.used[k];
    }
    if (others > 0) {
      const std::string name = others == 1 ? "one more queue" : grouped(others) + " more queues";
      layers.push_back({name, "rest", &rest});
      names.emplace_back("f-rest", name + ": " + percent(shown_use(run, rest)));
      kept.push_back(
          json::object{{"name", name}, {"colour", "rest"}, {"values", json::array(rest.begin(), rest.end())}});
    }
    const chart_text text{id_of("share", at), title,
                          "What each queue uses, stacked, in percent of the capacity. The largest is " +
                              (curves.queues.empty() ? std::string("none") : curves.queues.front().name) + ".",
                          "part of the capacity"};
    keep(text, at, "percents", std::move(kept));
    return legend(names) + stacked_chart(text, axis_of(curves, run.begins_ms), layers);
  }

  // Runs of different length share the longer axis: their curves are brought to it.
  [[nodiscard]] std::pair<run_axis, std::vector<curve>> on_one_axis(const curve run_curves::*which) const {
    const run_record *longest = runs_.front();
    for (const run_record *run : runs_) {
      if (run->curves.span > longest->curves.span) longest = run;
    }
    run_axis axis = axis_of(longest->curves, two() ? 0 : run_.begins_ms);
    std::vector<curve> out;
    for (const run_record *run : runs_) {
      const curve &from = run->curves.*which;
      curve to(axis.intervals, std::nan(""));
      for (size_t i = 0; i < to.size() && !from.empty(); ++i) {
        const double at = axis.span * (static_cast<double>(i) + 0.5) / static_cast<double>(axis.intervals);
        const auto index = static_cast<size_t>(at / run->curves.span * static_cast<double>(from.size()));
        if (at < run->curves.span && index < from.size()) to[i] = from[index];
      }
      out.push_back(std::move(to));
    }
    return {axis, std::move(out)};
  }

  struct overlaid {
    const char *name, *label, *colour;
    const curve run_curves::*which;
  };

  // Lines of all runs in one picture.
  std::string overlay(const chart_text &text, const std::vector<overlaid> &wanted, y_scale scale) {
    std::vector<std::vector<curve>> curves;
    run_axis axis;
    for (const overlaid &one : wanted) {
      auto [shared, all] = on_one_axis(one.which);
      axis = shared;
      curves.push_back(std::move(all));
    }
    std::vector<chart_line> lines;
    json::array kept;
    for (size_t i = 0; i < wanted.size(); ++i) {
      for (size_t run = 0; run < runs_.size(); ++run) {
        const std::string colour = run == 1 && wanted.size() == 1 ? other_colour : wanted[i].colour;
        const std::string name = two() ? runs_[run]->label + ", " + wanted[i].label : wanted[i].label;
        lines.push_back(
            {name, colour, &curves[i][run], wanted.size() == 1 && !two() && scale == y_scale::counts, run == 1});
        kept.push_back(two() ? values_line(name, colour, curves[i][run])
                             : line(name, colour, place("run", wanted[i].name)));
      }
    }
    keep(text, 0, scale == y_scale::percents ? "percents" : "counts", std::move(kept), axis);
    return line_chart(text, axis, lines, scale);
  }

  std::string waiting_asks() {
    const chart_text text{"waiting", "Asks that wait " + over(), "Number of pending asks.", "asks"};
    return page_section(
        text.title, "Submitted and not placed, placeholders included.",
        legend(run_legend()) +
            overlay(text, {{"waiting", "asks that wait", "c1", &run_curves::waiting}}, y_scale::counts));
  }

  std::string jobs() {
    if (std::all_of(runs_.begin(), runs_.end(), [](const run_record *r) { return r->jobs.jobs == 0; })) return "";
    const auto chart = [&](const char *id, const std::string &title, const cumulative job_figures::*which,
                           const char *field, bool seconds) {
      std::vector<cumulative_line> lines;
      json::array kept;
      for (size_t i = 0; i < runs_.size(); ++i) {
        const std::string colour = i == 0 ? "c1" : other_colour;
        lines.push_back({runs_[i]->label, colour, &(runs_[i]->jobs.*which), i == 1});
        kept.push_back(line(two() ? runs_[i]->label : "jobs", colour, {name_of(i), "jobs", field}));
      }
      const chart_text text{id, title,
                            title +
                                ": the part of all jobs that it was at most so much for. The figures are in "
                                "the table of jobs.",
                            "part of all jobs"};
      keep_cumulative(text, lines, seconds, std::move(kept));
      return element("h3", escaped(title)) + cumulative_chart(text, lines, seconds);
    };
    return page_section(
        "How jobs fared",
        "A job is all that an application asked for at one moment; it starts with the last of that and ends with the "
        "last "
        "of it. Slowdown is how many times as long as its run a job took from submission to end, runs shorter than 10 "
        "s "
        "counted as 10 s. Jobs that never started hold the curves down.",
        legend(run_legend()) +
            beside(
                {chart("job-waits", "Wait", &job_figures::wait_curve, "wait_curve", true),
                 chart("job-completions", "Completion time", &job_figures::completion_curve, "completion_curve", true),
                 chart("job-slowdowns", "Bounded slowdown", &job_figures::slowdown_curve, "slowdown_curve", false)}) +
            job_table(runs_));
  }

  // Names of the first run first, then those that only the other has.
  template <class Rows>
  [[nodiscard]] std::vector<spread_row> rows_of(Rows &&rows) const {
    std::vector<spread_row> out;
    std::vector<std::pair<std::string, spread>> first = rows(run_), second;
    if (two()) second = rows(*other_);
    const auto add = [&](const std::string &name, const spread &values, size_t run) {
      out.push_back({two() ? name + " (" + runs_[run]->label + ")" : name, values, run == 0 ? "c1" : other_colour});
    };
    for (const auto &[name, values] : first) {
      add(name, values, 0);
      const auto same =
          std::find_if(second.begin(), second.end(), [&, of = name](const auto &s) { return s.first == of; });
      if (same == second.end()) continue;
      add(name, same->second, 1);
      second.erase(same);
    }
    for (const auto &[name, values] : second) add(name, values, 1);
    return out;
  }

  [[nodiscard]] std::string waits_by_queue() const {
    std::vector<spread_row> rows = rows_of([](const run_record &run) {
      std::vector<std::pair<std::string, spread>> of(run.counted.waits.begin(), run.counted.waits.end());
      std::stable_sort(of.begin(), of.end(),
                       [](const auto &a, const auto &b) { return a.second.count() > b.second.count(); });
      for (auto &[name, values] : of) name = name.empty() ? "(no queue)" : name;
      return of;
    });
    std::string caption =
        "From submission to placement, by queue, those with the most asks first. Asks that were never "
        "placed waited to the end of the run.";
    if (rows.size() > most_rows) {
      caption += " " + grouped(rows.size() - most_rows) + " more rows are in the tables below.";
      rows.resize(most_rows);
    }
    if (rows.empty()) return "";
    const chart_text text{"waits", "Waiting time by queue",
                          "A row for each queue: median, nine tenths, 99 of 100 and the longest wait, on a logarithmic "
                          "axis. The figures are in the table of queues.",
                          ""};
    return page_section(text.title, caption, spread_keys() + spread_chart(text, rows));
  }

  [[nodiscard]] std::string waits_by_size() const {
    const std::vector<spread_row> rows = rows_of([](const run_record &run) {
      std::vector<std::pair<std::string, spread>> of;
      for (const job_group &group : run.jobs.sizes) of.emplace_back(group.name, group.wait);
      return of;
    });
    if (rows.size() < 2) return "";
    const chart_text text{"sizes", "Waiting time by size of the job",
                          "A row for each range of sizes: median, nine tenths, 99 of 100 and the longest wait, on a "
                          "logarithmic axis. The figures are in the table of sizes.",
                          ""};
    return page_section(text.title,
                        "By the " + run_.curves.main_type + " that all of the job takes together, the smallest first.",
                        spread_keys() + spread_chart(text, rows));
  }

  std::string fairness() {
    const chart_text index{
        "fairness", "Fairness " + over(),
        "Jain's index of what the queues have of their fair share, in percent, while asks wait. " +
            (std::isnan(run_.curves.average_fairness) ? std::string("No ask waited.")
                                                      : "On average " + percent(run_.curves.average_fairness) + "."),
        "Jain’s index"};
    std::vector<std::pair<std::string, std::string>> steps = satisfaction_steps();
    steps.emplace_back("hollow", "wants nothing");
    const std::string below = "What each queue has of its fair share";
    return page_section(
        index.title,
        "The fair share of a queue is what it would have if every parent gave all children that want something "
        "equally much: the largest part of any resource counts, measured against guarantees where there are "
        "some. The index is 100% where all queues have the same part of theirs; there is no line while nobody "
        "waits.",
        legend(run_legend()) +
            overlay(index, {{"fairness", "Jain’s index", "c3", &run_curves::fairness}}, y_scale::percents) +
            element("h3", escaped(below)) + legend(steps) + each([&](const run_record &run, size_t at) {
              const chart_text text{
                  id_of("satisfied", at), below,
                  "A row for each queue, coloured by its use as a part of its fair share: under 25%, 25 to 50%, 50 "
                  "to 75%, 75 to 95%, about its share, up to 150%, more. Empty where it wants nothing.",
                  ""};
              json::array kept;
              for (size_t i = 0; i < run.curves.queues.size(); ++i) {
                kept.push_back(line(run.curves.queues[i].name, "", {name_of(at), "curves", "queues", i, "satisfied"}));
              }
              keep(text, at, "rows", std::move(kept));
              return satisfaction_chart(text, axis_of(run.curves, run.begins_ms), run.curves.queues);
            }));
  }

  std::string fragmentation() {
    const std::string &type = run_.curves.main_type;
    const chart_text text{"fragmentation", "Fragmentation " + over(),
                          "Parts of the free " + type + ", in percent: scattered, on average " +
                              percent(run_.curves.average_scattered) + "; stranded, on average " +
                              percent(run_.curves.average_stranded) + ".",
                          "part of the free " + type};
    std::vector<std::pair<std::string, std::string>> names = run_legend();
    for (auto &[look, label] : names) look = look.find("dashes") == std::string::npos ? "f-base" : "f-base dashes";
    names.emplace_back("f-c2", "scattered: " + percent(run_.curves.average_scattered) + " on average");
    names.emplace_back("f-c4", "stranded: " + percent(run_.curves.average_stranded) + " on average");
    return page_section(
        text.title,
        "Scattered is what lies on nodes that are used in part. Stranded is what a typical ask of this load "
        "cannot use, because its node has not enough of it, or of something else. No line: nothing is free.",
        legend(names) + overlay(text,
                                {{"scattered", "scattered", "c2", &run_curves::scattered},
                                 {"stranded", "stranded", "c4", &run_curves::stranded}},
                                y_scale::percents));
  }

  std::string preemptions() {
    if (std::all_of(runs_.begin(), runs_.end(), [](const run_record *r) { return r->counted.preempted == 0; }))
      return "";
    const chart_text text{"preempted", "Preemptions " + over(), "Number of allocations that gave way to others so far.",
                          "allocations so far"};
    return page_section(text.title, "Allocations that the scheduler took back for others, added up.",
                        legend(run_legend()) +
                            overlay(text, {{"preempted", "preempted", "c7", &run_curves::preempted}}, y_scale::counts) +
                            preemption_table(runs_));
  }

  // -- For the pointer. --

  static json::object line(const std::string &name, const std::string &colour, json::array of) {
    return {{"name", name}, {"colour", colour}, {"of", std::move(of)}};
  }
  static json::object values_line(const std::string &name, const std::string &colour, const curve &values) {
    json::array out;
    for (const double value : values) out.push_back(std::isnan(value) ? json::value(nullptr) : json::value(value));
    return {{"name", name}, {"colour", colour}, {"values", std::move(out)}};
  }

  void keep(const chart_text &text, size_t run, const char *kind, json::array lines) {
    keep(text, run, kind, std::move(lines), axis_of(runs_[run]->curves, 0));
  }
  void keep(const chart_text &text, size_t, const char *kind, json::array lines, const run_axis &axis) {
    const time_unit unit = unit_of(axis.span);
    charts_.push_back(json::object{{"id", text.id},
                                   {"kind", kind},
                                   {"unit", axis.by_time ? std::string(unit.name) : std::string()},
                                   {"place", axis.place},
                                   {"span", axis.by_time ? axis.span / unit.seconds : axis.span},
                                   {"intervals", axis.intervals},
                                   {"lines", std::move(lines)}});
  }
  void keep_cumulative(const chart_text &text, const std::vector<cumulative_line> &of, bool seconds,
                       json::array lines) {
    double most = seconds ? 10 : 2;
    for (const cumulative_line &one : of) {
      if (!one.values->values.empty()) most = std::max(most, one.values->values.back());
    }
    charts_.push_back(json::object{
        {"id", text.id}, {"kind", "cumulative"}, {"most", most}, {"seconds", seconds}, {"lines", std::move(lines)}});
  }

  [[nodiscard]] std::string charts() const {
    std::string text = json::serialize(charts_);
    // Nothing in it may end the element that holds it.
    for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) text.replace(at, 1, "\\u003c");
    return text;
  }

  const run_record &run_;
  const run_record *other_;
  std::vector<const run_record *> runs_;
  json::array charts_;
};

}  // namespace

std::string report_page(const run_record &run, const run_record *other, const std::string &first) {
  return page(run, other).make(first);
}

}  // namespace tenon::cli
