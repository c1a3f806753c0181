// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Coarse search: looks through columns of coarse amounts, sixteen rows at once. What it does not find is not there;
// what it finds may lack a thousandth.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/coarse_amount.hpp"

namespace tenon::internal {

// So many stand together: a column may be read up to the next multiple of it.
inline constexpr size_t coarse_lanes = 16;

namespace coarse {

using eight [[gnu::vector_size(16)]] = coarse_amount;
using two_words [[gnu::vector_size(16)]] = uint64_t;

[[nodiscard]] inline eight load(const coarse_amount *from) {
  eight out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

[[nodiscard]] inline eight all(coarse_amount is) { return eight{is, is, is, is, is, is, is, is}; }

}  // namespace coarse

// Of the rows in [from, to).
[[nodiscard]] inline coarse_amount largest_of(const coarse_amount *column, size_t from, size_t to) {
  coarse_amount most = coarse_nothing;
  for (; from < to && from % coarse_lanes != 0; ++from) most = std::max(most, column[from]);
  coarse::eight largest = coarse::all(most);
  for (; from + coarse_lanes <= to; from += coarse_lanes) {
    for (const coarse_amount *at : {column + from, column + from + coarse_lanes / 2}) {
      const coarse::eight some = coarse::load(at);
      largest = some > largest ? some : largest;
    }
  }
  for (size_t i = 0; i < 8; ++i) most = std::max(most, largest[i]);
  for (; from < to; ++from) most = std::max(most, column[from]);
  return most;
}

// What is wanted of some columns, to be looked for in all of their rows. Further columns than these are not compared.
class coarse_search {
 public:
  void want(const coarse_amount *column, coarse_amount at_least) {
    if (count_ == columns_.size()) return;
    columns_[count_] = column;
    wanted_[count_++] = coarse::all(at_least);
  }

  // Calls f(row) for the rows in [from, to) that may have what is wanted, in order, until it says true: so does this.
  template <class F>
  bool find(size_t from, size_t to, F &&f) const {
    for (size_t group = from / coarse_lanes * coarse_lanes; group < to; group += coarse_lanes) {
      coarse::eight low = {}, high = {};  // all bits: lacks something
      for (size_t i = 0; i < count_; ++i) {
        low |= coarse::load(columns_[i] + group) < wanted_[i];
        high |= coarse::load(columns_[i] + group + coarse_lanes / 2) < wanted_[i];
      }
      const auto both = std::bit_cast<coarse::two_words>(low & high);
      if ((both[0] & both[1]) == ~uint64_t{0}) continue;
      const auto lows = std::bit_cast<coarse::two_words>(low), highs = std::bit_cast<coarse::two_words>(high);
      const std::array<uint64_t, 4> lacking{lows[0], lows[1], highs[0], highs[1]};
      for (size_t w = 0; w < lacking.size(); ++w) {
        for (uint64_t may = ~lacking[w]; may != 0;) {
          const auto lane = static_cast<size_t>(std::countr_zero(may)) / 16;
          may &= ~(uint64_t{0xffff} << lane * 16);
          const size_t row = group + w * 4 + lane;
          if (row < from) continue;
          if (row >= to) return false;
          if (f(row)) return true;
        }
      }
    }
    return false;
  }

 private:
  static constexpr size_t most = 8;  // columns
  std::array<const coarse_amount *, most> columns_;
  std::array<coarse::eight, most> wanted_;
  size_t count_ = 0;
};

}  // namespace tenon::internal
