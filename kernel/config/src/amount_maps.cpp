// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "queues_source.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::config {

std::string first_too_large(const amount_map &larger, const amount_map &smaller) {
  for (const auto &[type, amount] : smaller) {
    const auto limit = larger.find(type);
    if (limit != larger.end() && amount > std::max<int64_t>(0, limit->second)) return type;
  }
  return {};
}

bool fits(const amount_map &larger, const amount_map &smaller) {
  return std::all_of(smaller.begin(), smaller.end(), [&](const auto &entry) {
    const auto limit = larger.find(entry.first);
    return limit == larger.end() || entry.second <= std::max<int64_t>(0, limit->second);
  });
}

amount_map component_min(const amount_map &a, const amount_map &b) {
  amount_map out = a;
  for (const auto &[type, amount] : b) {
    const auto [at, added] = out.emplace(type, amount);
    if (!added) at->second = std::min(at->second, amount);
  }
  return out;
}

void add_saturating(amount_map &to, const amount_map &more) {
  for (const auto &[type, amount] : more) {
    int64_t &sum = to[type];
    sum = tenon::add_saturating(sum, amount);
  }
}

bool all_zero(const amount_map &amounts) {
  return std::all_of(amounts.begin(), amounts.end(), [](const auto &entry) { return entry.second == 0; });
}

}  // namespace tenon::config
