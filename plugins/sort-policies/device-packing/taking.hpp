// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What an ask would take of a node's devices.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace device_packing_module {

inline int64_t add_saturating(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

inline int64_t multiply_saturating(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

struct taking {
  bool possible = true;
  int64_t opened = 0;     // devices all free that are so no more, but in part
  int64_t remainder = 0;  // free afterwards on the one with the least
  int64_t taken = 0;      // in sum
};

inline constexpr size_t most_devices = 64;

// `count` devices with `each`, of those with enough the ones with the least free.
inline taking take(std::span<const int64_t> free, int64_t size, int64_t count, int64_t each) {
  std::array<int64_t, most_devices> enough{};
  size_t found = 0;
  for (const int64_t one : free) {
    if (one >= each && found < most_devices) enough[found++] = one;
  }
  if (static_cast<int64_t>(found) < count) return {false};
  std::sort(enough.begin(), enough.begin() + static_cast<std::ptrdiff_t>(found));
  taking out{true, 0, enough[0] - each, multiply_saturating(count, each)};
  for (int64_t i = 0; i < count; ++i) out.opened += enough[static_cast<size_t>(i)] == size && each < size ? 1 : 0;
  return out;
}

// An ask for the amount, whose tag wants so many devices; 0: it has no such tag.
inline taking take_for(std::span<const int64_t> free, int64_t size, int64_t amount, int64_t wanted) {
  if (amount <= 0) return {};
  if (wanted > 0) return take(free, size, wanted, amount / wanted);
  if (amount <= size) return take(free, size, 1, amount);
  if (amount % size != 0) return {false};
  return take(free, size, amount / size, size);
}

}  // namespace device_packing_module
