// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Waiting needs: the classes of asks that no node holds. What they need stands side by side, type by type, so that what
// a node has free is compared with many of them at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "model/ask_class.hpp"

namespace tenon::internal {

// Amounts stand as floats. Rounding keeps their order, so a class that fits is always found; one that lacks a
// ten-millionth may be found, too.
class waiting_needs {
 public:
  [[nodiscard]] bool empty() const { return classes_.empty(); }
  [[nodiscard]] ask_class &last() const { return *classes_.back(); }

  void add(ask_class &c) {
    c.waiting = static_cast<uint32_t>(classes_.size());
    classes_.push_back(&c);
    if (classes_.size() > length_) {
      length_ += lanes;
      for (auto &needs : needs_) needs.resize(length_, never);
    }
    for (const class_amount &p : c.positive) {
      while (needs_.size() <= p.type) {  // nobody needed it so far
        std::fill_n(needs_.emplace_back(length_, never).begin(), classes_.size(), nothing);
      }
    }
    for (type_index t = 0; t < needs_.size(); ++t) {
      needs_[t][c.waiting] = c.need[t] > 0 ? static_cast<float>(c.need[t]) : nothing;
    }
  }
  // The last takes its place.
  void remove(ask_class &c) {
    classes_[c.waiting] = classes_.back();
    classes_[c.waiting]->waiting = c.waiting;
    classes_.pop_back();
    for (auto &needs : needs_) {
      needs[c.waiting] = needs[classes_.size()];
      needs[classes_.size()] = never;
    }
  }

  // Calls f(c) for each that fits into what is free of so many types, and perhaps for some that do not. It may remove
  // that one.
  template <class F>
  void for_each_that_may_fit(const int64_t *free, uint32_t types, F &&f) {
    free_.resize(needs_.size());
    for (size_t t = 0; t < free_.size(); ++t) free_[t] = t < types ? static_cast<float>(free[t]) : 0;
    for (size_t group = (classes_.size() + lanes - 1) / lanes; group-- > 0;) {
      for (uint32_t fit = those_that_fit(group); fit != 0;) {
        const auto i = static_cast<uint32_t>(31 - __builtin_clz(fit));
        fit ^= uint32_t{1} << i;
        f(*classes_[group * lanes + i]);
      }
    }
  }

 private:
  using amounts [[gnu::vector_size(16)]] = float;
  using verdicts [[gnu::vector_size(16)]] = int32_t;
  static constexpr size_t lanes = 16, vectors = 4;  // that are compared together
  static constexpr float never = std::numeric_limits<float>::infinity(), nothing = -never;

  // A bit each. With vectors in the language, for compilers made no use of them by themselves here.
  [[nodiscard]] uint32_t those_that_fit(size_t group) const {
    std::array<verdicts, vectors> fit;
    fit.fill(verdicts{-1, -1, -1, -1});
    for (size_t t = 0; t < needs_.size(); ++t) {
      const float *needs = needs_[t].data() + group * lanes;
      const amounts there{free_[t], free_[t], free_[t], free_[t]};
      for (size_t v = 0; v < vectors; ++v) {
        amounts some;
        std::memcpy(&some, needs + v * lanes / vectors, sizeof some);
        fit[v] &= some <= there;
      }
    }
    const verdicts any = fit[0] | fit[1] | fit[2] | fit[3];
    if ((any[0] | any[1] | any[2] | any[3]) == 0) return 0;
    uint32_t out = 0;
    for (size_t i = 0; i < lanes; ++i) out |= (static_cast<uint32_t>(fit[i / 4][i % 4]) & 1U) << i;
    const size_t count = classes_.size() - group * lanes;
    return count >= lanes ? out : out & ((uint32_t{1} << count) - 1);
  }

  std::vector<ask_class *> classes_;
  size_t length_ = 0;                      // for so many classes there are needs, a multiple of `lanes`
  std::vector<std::vector<float>> needs_;  // by type, then in the order of the classes; `never` beyond them
  std::vector<float> free_;                // scratch
};

}  // namespace tenon::internal
