// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "simulate/spread.hpp"

#include <algorithm>
#include <utility>

namespace tenon::cli {

spread spread_of(std::vector<measured> values) {
  spread out;
  if (values.empty()) return out;
  // Of equal ones those that went on come last.
  std::sort(values.begin(), values.end(), [](const measured &a, const measured &b) {
    return std::pair(a.value, !a.over) < std::pair(b.value, !b.over);
  });
  const auto first_open = static_cast<size_t>(
      std::find_if(values.begin(), values.end(), [](const measured &m) { return !m.over; }) - values.begin());
  // One that was not over by then could still pass whatever stands behind it.
  const auto at = [&](double share) {
    const auto rank = static_cast<size_t>(share * static_cast<double>(values.size()) + 0.999999);
    const size_t index = std::clamp<size_t>(rank, 1, values.size()) - 1;
    return figure{values[index].value, index >= first_open};
  };
  double sum = 0;
  for (const measured &m : values) {
    ++(m.over ? out.over : out.open);
    sum += m.value;
  }
  out.mean = {sum / static_cast<double>(values.size()), out.open > 0};
  out.p50 = at(0.50);
  out.p90 = at(0.90);
  out.p95 = at(0.95);
  out.p99 = at(0.99);
  out.most = at(1.0);
  return out;
}

}  // namespace tenon::cli
