// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "report/report_page.hpp"

#include <algorithm>
#include <cmath>

#include "report/html.hpp"
#include "report/page_file.hpp"
#include "report/page_tables.hpp"
#include "run/formats.hpp"

namespace tenon::cli {
namespace {

class page {
 public:
  page(const run_record &run, const run_record *other) : run_(run), other_(other) {
    runs_.push_back(&run);
    if (other != nullptr) runs_.push_back(other);
  }

  [[nodiscard]] std::string make(const std::string &first) const {
    std::string body = head() + first + findings() + tiles();
    if (run_.curves.use.empty()) {
      body += page_section("Nothing to draw", "Nothing was placed, or there were no nodes.", "");
    } else {
      // The script puts the charts here, and the two tables after them into the charts that they belong to.
      body += "<div id=\"charts\">\n" +
              page_section("Charts", "A script in this page draws them. All figures are in the tables below.", "") +
              "</div>\n";
      if (by_time() && any([](const run_record *r) { return r->jobs.jobs > 0; })) {
        body += "<section id=\"jobs-table\">\n" + job_table(runs_) + "</section>\n";
      }
      if (any([](const run_record *r) { return r->counted.preempted > 0; })) {
        body += "<section id=\"preemptions-table\">\n" + preemption_table(runs_) + "</section>\n";
      }
    }
    body += tables_of(runs_);
    const std::string title = two() ? "Two runs: " + run_.label + ", " + other_->label : "Simulation: " + run_.origin;
    const auto held = [](const char *id, const run_record &run) {
      return "<script type=\"application/json\" id=\"" + std::string(id) + "\">" + to_json(run) + "</script>\n";
    };
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<meta name=\"generator\" content=\"tenon simulate\">\n" +
           element("title", escaped(title)) + "<style>" + std::string(page_file("report.css")) +
           "</style>\n</head>\n<body>\n<main>\n" + body + "</main>\n" + held("run", run_) +
           (two() ? held("other", *other_) : "") + "<script type=\"module\">" + std::string(page_file("report.js")) +
           "</script>\n</body>\n</html>\n";
  }

 private:
  [[nodiscard]] bool two() const { return other_ != nullptr; }
  // Both go by time, or else neither is drawn so.
  [[nodiscard]] bool by_time() const {
    return std::all_of(runs_.begin(), runs_.end(), [](const run_record *r) { return r->curves.by_time; });
  }
  template <class Which>
  [[nodiscard]] bool any(Which &&which) const {
    return std::any_of(runs_.begin(), runs_.end(), which);
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

  const run_record &run_;
  const run_record *other_;
  std::vector<const run_record *> runs_;
};

}  // namespace

std::string report_page(const run_record &run, const run_record *other, const std::string &first) {
  return page(run, other).make(first);
}

}  // namespace tenon::cli
