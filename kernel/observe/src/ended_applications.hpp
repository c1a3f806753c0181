// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Applications that ended, counted by queue; a queue that is gone stays counted.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "tenon/kernel/decisions.hpp"
#include "tenon/kernel/kernel.hpp"

namespace tenon::observe {

class ended_applications {
 public:
  struct where {
    std::string partition, queue, state;  // state: "completed", "failed" or "rejected"
    auto operator<=>(const where &) const = default;
  };

  void count(const decision_view &d);
  // Forgets queues of partitions that the kernel no longer has, where no further name would be counted.
  void forget_gone(const kernel &k);
  [[nodiscard]] std::map<where, uint64_t> all() const;

 private:
  // Rejected ones name any queue: beyond so many, further names are not counted.
  static constexpr size_t most_ = 30'000;

  mutable std::mutex mutex_;
  std::map<where, uint64_t> counts_;
};

}  // namespace tenon::observe
