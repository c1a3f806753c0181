// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The page of a comparison: what differs, then the pictures of both runs as `tenon simulate --report` draws them.
#include <fmt/format.h>

#include "diff/comparison.hpp"
#include "diff/policy_words.hpp"
#include "load/load.hpp"
#include "report/html.hpp"
#include "report/report_page.hpp"
#include "run/formats.hpp"

namespace tenon::cli {
namespace {

std::vector<std::string> words_of_amounts(const std::vector<seen_amounts> &of) {
  std::vector<std::string> out;
  for (const seen_amounts &one : of) {
    for (const auto &[column, amounts] : one.columns) {
      out.push_back(one.name + ", " + column + ": " + words_of(amounts));
    }
  }
  return out;
}

std::string listed(const std::vector<std::string> &lines) {
  std::string items;
  for (const std::string &line : lines) items += element("li", escaped(line));
  return items.empty() ? std::string() : element("ul", "\n" + items);
}

std::string side_of_page(const std::string &name, const side_reason &of) {
  std::vector<std::string> lines;
  for (const auto &[what, how] : of.policies) lines.push_back(what + ": " + how);
  for (const seen_ask &ask : of.asks) {
    lines.push_back(ask.application + "/" + ask.key + ", " + std::to_string(ask.why.before) +
                    " before it: " + ask.why.text);
  }
  for (const auto *seen : {&of.nodes, &of.queues}) {
    for (std::string &line : words_of_amounts(*seen)) lines.push_back(std::move(line));
  }
  for (const policy_answer &one : of.said) lines.push_back(words_of(one));
  const std::string decision = of.decision.empty() ? "decides no more" : of.decision;
  return element("h3", name) + element("p", element("code", escaped(decision))) + listed(lines);
}

std::string verdict_section(const comparison &of) {
  if (of.thresholds.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const checked_threshold &one : of.thresholds) {
    rows.push_back(
        {one.text, decimal(one.outcome.a, 4), decimal(one.outcome.b, 4), one.outcome.passed ? "passed" : "failed"});
  }
  return page_section(of.passed() ? "Verdict: passed" : "Verdict: failed", "How much worse side b may be.",
                      page_table("Thresholds", {"Fails if", "a", "b", "Verdict"}, rows));
}

std::string first_section(const comparison &of) {
  if (!of.first) return page_section("No difference", "Both sides decide the same.", "");
  const std::string after = decimal(static_cast<double>(of.first->at_ms - of.by.first_ms) / 1000.0, 3);
  return page_section("First difference: decision " + std::to_string(of.first->decision),
                      "After " + after + " s. Up to here both sides were told the same and decided the same.",
                      beside({side_of_page("a", of.first->a), side_of_page("b", of.first->b)}));
}

std::string realigned_section(const comparison &of) {
  if (!of.realigned) return "";
  std::string moments;
  for (const first_difference &one : of.realigned->first) {
    const std::string after = decimal(static_cast<double>(one.at_ms - of.by.first_ms) / 1000.0, 3);
    const std::string moment = "moment " + std::to_string(one.decision) + ", after " + after + " s: ";
    moments += beside({side_of_page(moment + "a", one.a), side_of_page(moment + "b", one.b)});
  }
  return page_section("Same state, other decision", words_of(*of.realigned) + ".", moments);
}

std::string placings_section(const comparison &of) {
  const placing_differences &p = of.placings;
  std::vector<std::vector<std::string>> rows;
  for (const placing_difference &one : p.first) {
    rows.push_back(
        {shown_ask(one.known().ask), shown_place(one.a, of.by.first_ms), shown_place(one.b, of.by.first_ms)});
  }
  return page_section("Allocations",
                      fmt::format("{} equal, {} at another time, {} on another node, {} by a alone, {} by b alone.",
                                  p.same, p.other_time, p.other_node, p.only_a, p.only_b),
                      page_table("The first of them", {"Ask", "a", "b"}, rows));
}

std::string table_of_figures(const std::string &caption, const window_figures &a, const window_figures &b,
                             const measure &by) {
  std::vector<std::vector<std::string>> rows;
  for (const figure_row &row : figure_rows(a, b, by)) rows.push_back({row.name, row.a, row.b});
  return page_table(caption, {"Figure", "a", "b"}, rows);
}

std::string waits_by_side(const comparison &of) {
  const auto &a = of.a.figures.whole.waits, &b = of.b.figures.whole.waits;
  std::vector<spread_row> rows;
  for (const std::string &queue : names_of_both(a, b)) {
    if (const auto waits = a.find(queue); waits != a.end()) rows.push_back({queue + " · a", "c1", waits->second});
    if (const auto waits = b.find(queue); waits != b.end()) rows.push_back({queue + " · b", "c2", waits->second});
  }
  // The script of the report draws the rows here.
  return "<div id=\"diff-waits\" title=\"Waiting time by queue, side by side\" data-waits=\"" + escaped(to_json(rows)) +
         "\"></div>\n";
}

std::string figures_section(const comparison &of) {
  std::string windows;
  for (size_t i = 0; i < of.by.windows && of.by.windows > 1; ++i) {
    const window_figures &a = of.a.figures.windows[i];
    windows += table_of_figures("From " + decimal(a.from_s, 1) + " s to " + decimal(a.to_s, 1) + " s", a,
                                of.b.figures.windows[i], of.by);
  }
  return page_section(
             "Figures", "Side a and side b, left alone for the whole run.",
             waits_by_side(of) + table_of_figures("Whole run", of.a.figures.whole, of.b.figures.whole, of.by)) +
         (windows.empty() ? "" : page_section("Figures by window", "Windows of equal length.", windows));
}

run_record record_of(const comparison &of, const compared_side &side, const char *label) {
  run_record out;
  out.label = label;
  out.origin = "journal " + of.journal;
  const timeline &changes = side.run.changes();
  if (changes.first_ms != no_date_ms) out.begins_ms = changes.first_ms;
  out.settings = side.settings;
  out.counted = side.run.summary();
  out.curves = make_curves(changes);
  const name_list &types = side.run.counted().book().types();
  for (uint32_t type = 0; type < types.size(); ++type) {
    if (types[type] == out.curves.main_type) out.jobs = figure_jobs(side.run.counted().book(), type, changes.last_ms);
  }
  return out;
}

}  // namespace

std::string diff_page(const comparison &of) {
  const run_record b = record_of(of, of.b, "b");
  return report_page(
      record_of(of, of.a, "a"), &b,
      verdict_section(of) + first_section(of) + realigned_section(of) + placings_section(of) + figures_section(of));
}

}  // namespace tenon::cli
