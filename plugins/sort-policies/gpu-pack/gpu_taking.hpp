// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What an ask wants of a node's devices, and which of them it would get.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace gpu_pack_module {

inline int64_t add_saturating(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

// So many, each with the amount.
struct devices_wanted {
  int64_t count = 0, each = 0;
};

// An ask for the amount, whose tag wants so many devices; 0: it has no such tag. Nothing: it does not fit devices of
// this size.
inline std::optional<devices_wanted> devices_for(int64_t amount, int64_t tagged, int64_t size) {
  if (amount <= 0) return devices_wanted{};
  if (tagged > 0) return devices_wanted{tagged, amount / tagged};
  if (amount <= size) return devices_wanted{1, amount};
  if (amount % size != 0) return std::nullopt;
  return devices_wanted{amount / size, size};
}

// What each device had free that an ask would take, the least first.
class taken_devices {
 public:
  // Of those with enough the ones with the least free. False: there are too few.
  bool take(std::span<const int64_t> devices, const devices_wanted &wanted) {
    size_t found = 0;
    for (const int64_t one : devices) {
      if (one >= wanted.each && found < most) free_[found++] = one;
    }
    if (static_cast<int64_t>(found) < wanted.count) return false;
    const auto end = free_.begin() + static_cast<std::ptrdiff_t>(found);
    if (wanted.count == 1) {
      std::iter_swap(free_.begin(), std::min_element(free_.begin(), end));
    } else {
      std::sort(free_.begin(), end);
    }
    count_ = static_cast<size_t>(wanted.count);
    return true;
  }
  [[nodiscard]] std::span<const int64_t> free() const { return {free_.data(), count_}; }

 private:
  static constexpr size_t most = 64;
  std::array<int64_t, most> free_;  // the first of them alone are written
  size_t count_ = 0;
};

// What all devices have free.
inline int64_t sum_of(std::span<const int64_t> devices) {
  int64_t sum = 0;
  for (const int64_t one : devices) sum = add_saturating(sum, std::max<int64_t>(0, one));
  return sum;
}

}  // namespace gpu_pack_module
