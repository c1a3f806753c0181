// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Thresholds that were checked, and the verdict that they come to.
#pragma once

#include <boost/json/array.hpp>
#include <iosfwd>
#include <string>
#include <vector>

#include "diff/threshold.hpp"

namespace tenon::cli {

struct checked_threshold {
  std::string text;
  threshold::outcome outcome;
};

[[nodiscard]] result<std::vector<threshold>> parse_thresholds(const std::vector<std::string> &texts);
// On the figures of both sides, of the whole time.
[[nodiscard]] result<std::vector<checked_threshold>> check_all(const std::vector<threshold> &of,
                                                               const window_figures &a, const window_figures &b);
[[nodiscard]] bool all_passed(const std::vector<checked_threshold> &of);

// A line each, and one of the verdict; nothing where there are none. `a`, `b`: how the sides are called.
void print_verdict(std::ostream &out, const std::vector<checked_threshold> &of, const char *a, const char *b);
[[nodiscard]] boost::json::array json_of(const std::vector<checked_threshold> &of, const char *a, const char *b);

}  // namespace tenon::cli
