// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Words of a sort key: unsigned numbers that order as the values they are made of, smaller first.
//
//   return std::array{descending(priority), ascending(share)};
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tenon/sdk/share.h"

namespace tenon::sdk {

[[nodiscard]] constexpr uint64_t ascending(uint64_t v) { return v; }
[[nodiscard]] constexpr uint64_t ascending(int64_t v) {
  return static_cast<uint64_t>(v) ^ uint64_t { 1 } << 63;
}
[[nodiscard]] inline uint64_t ascending(double v) { return tenon_double_key(v); }  // NaN last

[[nodiscard]] constexpr uint64_t descending(uint64_t v) { return ~v; }
[[nodiscard]] constexpr uint64_t descending(int64_t v) { return ~ascending(v); }
[[nodiscard]] inline uint64_t descending(double v) {
  return std::isnan(v) ? std::numeric_limits<uint64_t>::max() : ~tenon_double_key(v);  // NaN last here too
}

// Weights by the name of a resource type, looked up anew when a batch knows more types than before.
class type_weights {
 public:
  explicit type_weights(std::map<std::string, double> by_name) : by_name_(std::move(by_name)) {}

  template <class Batch>
  void follow(const Batch &batch) {
    for (auto t = static_cast<uint32_t>(by_type_.size()); t < batch.type_count(); ++t) {
      const auto found = by_name_.find(std::string(batch.type_name(t)));
      by_type_.push_back(found == by_name_.end() ? 0.0 : found->second);
    }
  }

  [[nodiscard]] const double *data() const { return by_type_.data(); }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(by_type_.size()); }

 private:
  std::map<std::string, double> by_name_;
  std::vector<double> by_type_;
};

}  // namespace tenon::sdk
