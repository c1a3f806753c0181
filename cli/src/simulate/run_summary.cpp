// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "simulate/run_summary.hpp"

#include <fmt/ostream.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <vector>

#include "run/shadow_words.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

// Reasons beyond these are summed up.
constexpr size_t shown_reasons = 10;

// The commonest first, equal ones by name.
std::vector<std::pair<std::string, uint64_t>> by_count(const std::map<std::string, uint64_t> &reasons) {
  std::vector<std::pair<std::string, uint64_t>> out(reasons.begin(), reasons.end());
  std::stable_sort(out.begin(), out.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
  return out;
}

void print_reasons(std::ostream &out, const std::map<std::string, uint64_t> &reasons) {
  uint64_t others = 0;
  const auto sorted = by_count(reasons);
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i < shown_reasons) {
      fmt::print(out, "  {:8}  {}\n", sorted[i].second, sorted[i].first);
    } else {
      others += sorted[i].second;
    }
  }
  if (others > 0) fmt::print(out, "  {:8}  for other reasons\n", others);
}

json::array reasons_of(const std::map<std::string, uint64_t> &reasons) {
  json::array out;
  for (const auto &[reason, count] : by_count(reasons))
    out.push_back(json::object{{"reason", reason}, {"count", count}});
  return out;
}

// `over`, `open`: what values are called that were over, and that were not.
json::object object_of(const spread &w, const char *over, const char *open) {
  json::object out{{over, w.over}, {open, w.open}};
  json::array at_least;
  for (const auto &[name, one] : {std::pair{"mean", w.mean}, std::pair{"p50", w.p50}, std::pair{"p90", w.p90},
                                  std::pair{"p95", w.p95}, std::pair{"p99", w.p99}, std::pair{"max", w.most}}) {
    out[name] = one.value;
    if (one.at_least) at_least.emplace_back(name);
  }
  out["at_least"] = std::move(at_least);
  return out;
}

void print_waits(std::ostream &out, const run_summary &c) {
  if (c.waits.empty()) return;
  const bool open = c.all_waits.open > 0;  // else the column says nothing
  out << "\nwaiting, seconds         placed" << (open ? "     never" : "")
      << "       p50       p90       p99       max\n";
  for (const auto &[queue, w] : c.waits) {
    fmt::print(out, "  {:20} {:8}", queue, w.over);
    if (open) fmt::print(out, " {:9}", w.open);
    for (const figure &one : {w.p50, w.p90, w.p99, w.most}) {
      fmt::print(out, " {:>9}", fmt::format("{}{:.1f}", one.at_least ? ">" : "", one.value));
    }
    out << '\n';
  }
}

void print_allocation(std::ostream &out, const run_summary &c) {
  if (c.allocation.empty()) return;
  const size_t end = c.allocation.size() - 1;
  out << "GPUs placed when so many were asked for:";
  for (const size_t percent : {size_t{50}, size_t{100}}) {
    if (percent < end) fmt::print(out, " {:.2f}% at {}%,", c.allocation[percent] * 100, percent);
  }
  fmt::print(out, " {:.2f}% at {}%\n", c.allocation[end] * 100, end);
}

}  // namespace

void print(std::ostream &out, const run_report &report) {
  const run_summary &c = report.counted;
  out << report.origin << ": " << c.nodes << " nodes\n\n";
  for (const std::string &finding : c.findings) out << "finding   " << finding << ".\n\n";
  out << "placed    " << c.placed << '\n';
  out << "pending   " << c.pending << '\n';
  print_reasons(out, c.pending_reasons);
  if (c.rejected > 0) out << "rejected  " << c.rejected << '\n';
  print_reasons(out, c.rejection_reasons);
  if (c.preempted > 0) out << "preempted " << c.preempted << '\n';
  if (c.skipped > 0) out << "left out  " << c.skipped << '\n';
  print_reasons(out, c.skipped_reasons);
  if (c.gpus_placed > 0) fmt::print(out, "GPUs      {:.1f} placed\n", c.gpus_placed);
  print_allocation(out, c);
  fmt::print(out, "makespan  {:.1f} s of virtual time\n", c.makespan_s);
  if (!c.use.empty()) out << "\nuse of the capacity    peak  average\n";
  for (const auto &[type, use] : c.use) {
    fmt::print(out, "  {:18} {:6.1f}%  {:6.1f}%\n", type, use.peak * 100, use.average * 100);
  }
  if (!c.devices.empty())
    out << "\ndevices                   all      free      full   in part, with free in whole ones\n";
  for (const auto &[type, d] : c.devices) {
    fmt::print(out, "  {:18} {:8} {:9} {:9} {:9} {:10.1f}\n", type, d.all, d.free, d.full, d.in_part, d.free_in_parts);
  }
  print_waits(out, c);
  fmt::print(out, "\n{} decisions in {:.3f} s of scheduling: {:.0f} a second\n", report.step_decisions,
             report.step_seconds, report.decisions_per_second());
  if (!report.shadows.empty()) out << '\n';
  print_shadows(shadows_json(report.shadows), out);
}

std::string to_json(const run_report &report) {
  const run_summary &c = report.counted;
  json::object use, waits, devices;
  for (const auto &[type, u] : c.use) use[type] = json::object{{"peak", u.peak}, {"average", u.average}};
  for (const auto &[queue, w] : c.waits) waits[queue] = object_of(w, "placed", "never_placed");
  json::object out{{"origin", report.origin},
                   {"nodes", c.nodes},
                   {"placed", c.placed},
                   {"pending", c.pending},
                   {"pending_reasons", reasons_of(c.pending_reasons)},
                   {"rejected", c.rejected},
                   {"rejection_reasons", reasons_of(c.rejection_reasons)},
                   {"preempted", c.preempted},
                   {"left_out", c.skipped},
                   {"left_out_reasons", reasons_of(c.skipped_reasons)},
                   {"gpus_placed", c.gpus_placed},
                   {"makespan_seconds", c.makespan_s},
                   {"utilisation", std::move(use)},
                   {"waiting_seconds", std::move(waits)},
                   {"waiting_seconds_of_all", object_of(c.all_waits, "placed", "never_placed")},
                   {"findings", json::array(c.findings.begin(), c.findings.end())},
                   {"commands", c.commands},
                   {"decisions", c.decisions},
                   {"step_decisions", report.step_decisions},
                   {"scheduling_seconds", report.step_seconds},
                   {"decisions_per_second", report.decisions_per_second()}};
  for (const auto &[name, figure] : {std::pair{"fairness", report.fairness}, std::pair{"scattered", report.scattered},
                                     std::pair{"stranded", report.stranded}}) {
    if (figure) out[name] = std::isnan(*figure) ? json::value(nullptr) : json::value(*figure);
  }
  if (report.slowdown) out["slowdown_of_jobs"] = object_of(*report.slowdown, "started", "never_started");
  if (report.completion) out["completion_seconds_of_jobs"] = object_of(*report.completion, "ended", "not_ended");
  for (const auto &[type, d] : c.devices) {
    devices[type] = json::object{
        {"all", d.all}, {"free", d.free}, {"in_part", d.in_part}, {"full", d.full}, {"free_in_parts", d.free_in_parts}};
  }
  out["devices"] = std::move(devices);
  if (!c.allocation.empty()) out["allocation"] = json::array(c.allocation.begin(), c.allocation.end());
  if (!report.shadows.empty()) out["shadows"] = shadows_json(report.shadows);
  return json::serialize(out);
}

}  // namespace tenon::cli
