// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What `tenon scenario run` says about the scenarios that it played.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

struct outcome {
  std::string name;
  std::string file;
  double seconds = 0;                 // wall time
  std::vector<std::string> failures;  // "file:line:column: path: want X, have Y"; none: passed

  [[nodiscard]] bool passed() const { return failures.empty(); }
};

// A file that was not played, or a folder without any.
struct refused_file {
  std::string file;
  std::vector<refusal> why;  // at least one
};

// One line for a scenario, and one for each of its failures.
void print(std::ostream &out, const outcome &one);
// The closing line: "3 passed, 1 failed", and ", 1 refused" where there is any.
void print_totals(std::ostream &out, std::span<const outcome> all, std::span<const refused_file> refused);

// {"scenarios":[{"name","file","passed","seconds","failure"}], "refused":[{"where","want","have","fix"}]};
// `failure` is empty for one that passed, else its lines; `refused` is there only when something was refused.
[[nodiscard]] std::string to_json(std::span<const outcome> all, std::span<const refused_file> refused);

// JUnit's XML as continuous integration systems read it. A refused file is an error.
[[nodiscard]] std::string to_junit(std::span<const outcome> all, std::span<const refused_file> refused);

}  // namespace tenon::cli
