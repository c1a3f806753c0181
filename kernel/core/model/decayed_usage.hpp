// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Decayed usage: the mean of what something had over time, where time that lies a half-life back counts half.
#pragma once

#include <cstdint>
#include <vector>

#include "tenon/kernel/resources.hpp"

namespace tenon {
struct saved_decay;
}

namespace tenon::internal {

// Goes in steps, a fiftieth of the half-life each, at multiples of the step: the value changes there and nowhere else.
// At the end of a step, v = used + (v - used) * 2^(-1/50), where `used` is the mean of the step. Begins with 0.
class decayed_usage {
 public:
  // Half-life in seconds.
  static constexpr int64_t step_ms(uint32_t half_life) { return int64_t{half_life} * 20; }

  decayed_usage(uint32_t half_life, int64_t now_ms, resources has);
  explicit decayed_usage(const saved_decay &from);
  [[nodiscard]] saved_decay saved() const;

  [[nodiscard]] uint32_t half_life() const { return half_life_; }
  // From now on it has this much; times never fall.
  void change(int64_t now_ms, const resources &has);
  // The value, at the last multiple of the step. A type that rounds to 0 is undefined.
  [[nodiscard]] resources at(int64_t now_ms) const;

 private:
  // Of one type.
  struct series {
    double value = 0;  // at the beginning of the step
    double used = 0;   // amount times milliseconds, in the step until changed_ms_
  };
  [[nodiscard]] double value_at(const series &s, int64_t has, int64_t step) const;
  [[nodiscard]] double mean_of_step(const series &s, int64_t has) const;

  uint32_t half_life_;
  int64_t step_;  // that changed_ms_ lies in, counted from 0
  int64_t changed_ms_;
  resources has_;
  std::vector<series> series_;  // by type
};

}  // namespace tenon::internal
