// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "report/fragmentation.hpp"

#include <algorithm>
#include <cmath>

namespace tenon::cli {

void free_capacity::grow(uint32_t node) {
  if (node < capacity_.size()) return;
  capacity_.resize(node + 1);
  free_.resize(capacity_.size() * types_);
}

void free_capacity::change_capacity(uint32_t node, const indexed_amounts &by, int64_t sign) {
  grow(node);
  for (const auto &[type, amount] : by) {
    free_[node * types_ + type] += sign * amount;
    if (type == type_) capacity_[node] += sign * amount;
  }
}

void free_capacity::change_use(uint32_t node, const indexed_amounts &by, int64_t sign) {
  grow(node);
  for (const auto &[type, amount] : by) free_[node * types_ + type] -= sign * amount;
}

double free_capacity::scattered() const {
  double all = 0, partly = 0;
  for (size_t node = 0; node < capacity_.size(); ++node) {
    const auto free = static_cast<double>(std::max<int64_t>(free_of(node), 0));
    all += free;
    if (free_of(node) < capacity_[node]) partly += free;
  }
  return all > 0 ? partly / all : std::nan("");
}

double free_capacity::stranded(std::span<const typical_ask> asks) const {
  double all = 0, lost = 0;
  for (size_t node = 0; node < capacity_.size(); ++node) {
    if (free_of(node) <= 0) continue;
    const auto free = static_cast<double>(free_of(node));
    all += free;
    for (const typical_ask &ask : asks) {
      const bool fits = std::all_of(ask.amounts.begin(), ask.amounts.end(), [&](const auto &amount) {
        return free_[node * types_ + amount.first] >= amount.second;
      });
      if (!fits) lost += free * ask.weight;
    }
  }
  return all > 0 ? lost / all : std::nan("");
}

uint64_t free_capacity::room_for(const indexed_amounts &ask) const {
  uint64_t room = 0;
  for (size_t node = 0; node < capacity_.size() && !ask.empty(); ++node) {
    int64_t here = INT64_MAX;
    for (const auto &[type, amount] : ask) {
      here = std::min(here, std::max<int64_t>(free_[node * types_ + type], 0) / amount);
    }
    room += static_cast<uint64_t>(here);
  }
  return room;
}

}  // namespace tenon::cli
