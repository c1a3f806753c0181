// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Points by their measures: which are better than others, and which nobody beats.
#pragma once

#include <cstddef>
#include <vector>

namespace tenon::cli {

// A value for each measure, NaN where there is none: as bad as can be.
using measured_point = std::vector<double>;

class better_way {
 public:
  // For each measure, whether less of it is better.
  explicit better_way(std::vector<bool> low) : low_(std::move(low)) {}

  [[nodiscard]] bool is_better(size_t measure, double a, double b) const;
  // As good in each measure, and better in one.
  [[nodiscard]] bool dominates(const measured_point &a, const measured_point &b) const;

 private:
  std::vector<bool> low_;
};

// All of them, the best first: those that no other dominates (the front) before those that the front alone dominates,
// and so on; among these by the first measure, then the second, ... then as they stand. `layers` gets the layer of
// each.
[[nodiscard]] std::vector<size_t> ranked(const std::vector<measured_point> &points, const better_way &by,
                                         std::vector<size_t> *layers = nullptr);

}  // namespace tenon::cli
