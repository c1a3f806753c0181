// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// All that `tenon diff` says of two sides, and how it is shown.
#pragma once

#include <boost/json/object.hpp>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diff/differences.hpp"
#include "diff/figures.hpp"
#include "diff/realigned.hpp"
#include "diff/verdict.hpp"
#include "tenon/host/module_watch.hpp"

namespace tenon::cli {

struct compared_side {
  std::vector<std::pair<std::string, std::string>> settings;  // how it was played, as shown
  side_run run;
  side_figures figures;
  std::vector<host::module_counters> calls;  // of modules
};

struct comparison {
  std::string journal;
  recorded_load load;
  compared_side a, b;
  measure by;
  placing_differences placings;
  std::optional<first_difference> first;  // nothing: all decisions are equal
  std::optional<realigned_decisions> realigned;
  std::vector<checked_threshold> thresholds;

  [[nodiscard]] bool passed() const;
};

void print(std::ostream &out, const comparison &of);
// One object; its keys are in docs/diff.md.
[[nodiscard]] std::string to_json(const comparison &of);
// What stands before the pictures of a report.
[[nodiscard]] std::string diff_page(const comparison &of);

// What a side made and why, in lines and as an object.
void print_reason(std::ostream &out, const char *name, const side_reason &of);
[[nodiscard]] boost::json::object json_of(const side_reason &of);

[[nodiscard]] std::string words_of(const amount_map &amounts);
[[nodiscard]] std::string words_of(const realigned_decisions &of);
// "application/key".
[[nodiscard]] std::string shown_ask(const std::string &ask_name);
// Null: not at all.
[[nodiscard]] std::string shown_place(const placement *of, int64_t first_ms);

// A figure of both sides in words, for tables.
struct figure_row {
  std::string name, a, b;
};
[[nodiscard]] std::vector<figure_row> figure_rows(const window_figures &a, const window_figures &b, const measure &by);

}  // namespace tenon::cli
