// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Waste: what of a device with so much free will never be used, if asks come as they came.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "seen.hpp"

namespace gpu_pack_module {

// In units of a device: as many as its size, at most 1000. Of the next `asks_ahead` asks for a device or a part of
// one the one is taken that leaves the least waste behind, where that is less than to leave the rest alone.
class waste {
 public:
  static constexpr int64_t most_units = 1000;

  waste(const std::map<uint64_t, wide> &sizes, int64_t size, int64_t asks_ahead)
      : size_(size), units_(std::min(size, most_units)) {
    std::map<size_t, wide> shares;
    wide all = 0;
    for (const auto &[amount, count] : sizes) {
      if (amount > static_cast<uint64_t>(size)) continue;
      shares[units_for(amount)] += count;
      all += count;
    }
    std::vector<std::pair<size_t, double>> absent;  // of a share the chance that none of the next asks is for it
    for (const auto &[share, count] : shares) {
      const double other = 1 - as_double(count) / as_double(all);
      double none = 1;
      for (int64_t i = 0; i < asks_ahead; ++i) none *= other;
      absent.emplace_back(share, none);
    }
    of_.assign(static_cast<size_t>(units_) + 1, 0);
    for (size_t free = 1; free < of_.size(); ++free) of_[free] = expected(free, absent);
  }

  // Of a device with so much free, as a part of its size.
  [[nodiscard]] double of(int64_t free) const { return of_[units_in(free)] / static_cast<double>(units_); }

 private:
  [[nodiscard]] size_t units_in(int64_t amount) const {
    return static_cast<size_t>(wide(static_cast<uint64_t>(std::clamp<int64_t>(amount, 0, size_))) *
                               static_cast<uint64_t>(units_) / static_cast<uint64_t>(size_));
  }
  [[nodiscard]] size_t units_for(uint64_t amount) const {  // rounded up
    const auto size = static_cast<uint64_t>(size_);
    return static_cast<size_t>((wide(amount) * static_cast<uint64_t>(units_) + (size - 1)) / size);
  }

  [[nodiscard]] double expected(size_t free, const std::vector<std::pair<size_t, double>> &absent) {
    ranked_.clear();
    for (const auto &[share, none] : absent) {
      if (share <= free) ranked_.emplace_back(of_[free - share], none);
    }
    std::sort(ranked_.begin(), ranked_.end());
    double sum = 0, left = 1;
    for (const auto &[after, none] : ranked_) {
      if (after >= static_cast<double>(free)) break;
      sum += left * (1 - none) * after;
      left *= none;
    }
    return sum + left * static_cast<double>(free);
  }

  int64_t size_, units_;
  std::vector<double> of_;                         // by units free
  std::vector<std::pair<double, double>> ranked_;  // scratch
};

}  // namespace gpu_pack_module
