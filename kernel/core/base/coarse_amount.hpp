// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Coarse amounts: amounts rounded down to sixteen bits, in steps of a thousandth of themselves. Many of them are
// compared at once (coarse_search.hpp).
#pragma once

#include <bit>
#include <cstdint>

namespace tenon::internal {

using coarse_amount = int16_t;
inline constexpr coarse_amount coarse_nothing = INT16_MIN;

// The exponent and ten bits of the fraction of a float: of two amounts the larger is never the smaller one here. All
// that are below 2 or so are alike.
[[nodiscard]] inline coarse_amount coarse_of(int64_t amount) {
  if (amount <= 0) return coarse_nothing;
  constexpr int32_t of_one = 127 << 10;
  const auto bits = static_cast<int32_t>(std::bit_cast<uint32_t>(static_cast<float>(amount)) >> 13);
  return static_cast<coarse_amount>(bits - of_one + INT16_MIN);
}

// No amount that is as coarse is above this one.
[[nodiscard]] inline int64_t most_of(coarse_amount amount) {
  const auto bits = static_cast<uint32_t>(amount - INT16_MIN + 1 + (127 << 10)) << 13;
  const float above = std::bit_cast<float>(bits);
  return above >= 0x1p63F ? INT64_MAX : static_cast<int64_t>(above);
}

}  // namespace tenon::internal
