// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tune/front.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tenon::cli {

bool better_way::is_better(size_t measure, double a, double b) const {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(b) && !std::isnan(a);
  return low_[measure] ? a < b : a > b;
}

bool better_way::dominates(const measured_point &a, const measured_point &b) const {
  bool any = false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (is_better(i, b[i], a[i])) return false;
    any = any || is_better(i, a[i], b[i]);
  }
  return any;
}

std::vector<size_t> ranked(const std::vector<measured_point> &points, const better_way &by,
                           std::vector<size_t> *layers) {
  std::vector<size_t> out(points.size()), layer(points.size(), 0);
  std::iota(out.begin(), out.end(), size_t{0});
  std::stable_sort(out.begin(), out.end(), [&](size_t a, size_t b) {
    for (size_t i = 0; i < points[a].size(); ++i) {
      if (by.is_better(i, points[a][i], points[b][i])) return true;
      if (by.is_better(i, points[b][i], points[a][i])) return false;
    }
    return false;
  });
  // What dominates a point stands before it now.
  for (size_t i = 0; i < out.size(); ++i) {
    for (size_t before = 0; before < i; ++before) {
      if (by.dominates(points[out[before]], points[out[i]]))
        layer[out[i]] = std::max(layer[out[i]], layer[out[before]] + 1);
    }
  }
  std::stable_sort(out.begin(), out.end(), [&](size_t a, size_t b) { return layer[a] < layer[b]; });
  if (layers != nullptr) *layers = std::move(layer);
  return out;
}

}  // namespace tenon::cli
