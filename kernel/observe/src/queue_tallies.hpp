// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What happened in each queue: how long asks waited, and what gave way, was reserved or was given up.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "tenon/kernel/decisions.hpp"
#include "tenon/kernel/kernel.hpp"

namespace tenon::observe {

// From an ask's creation to the decision that places it, in seconds, in buckets.
struct waiting_histogram {
  static constexpr std::array<double, 14> bounds = {0.1, 0.5, 1,    5,    10,     30,     60,
                                                    300, 600, 1800, 3600, 10'800, 43'200, 86'400};
  std::array<uint64_t, bounds.size()> in{};  // of each bucket alone; what is above the last bound is in `count` alone
  uint64_t count = 0;
  double sum = 0;

  void add(double seconds);
};

struct queue_tally {
  waiting_histogram waiting;   // placeholders are not in it, nor what ran already when it was told
  uint64_t preempted = 0;      // allocations of this queue that were told to give way
  uint64_t reserved = 0;       // nodes that were kept for its asks
  uint64_t gang_timeouts = 0;  // applications whose placeholders were given up
};

class queue_tallies {
 public:
  // A queue that is gone stays counted. Beyond so many names, further queues are one, without a name, until some of
  // those that are counted are of partitions that are gone.
  static constexpr size_t most_queues = 1000;

  struct where {
    std::string partition, queue;
  };
  struct before {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A &a, const B &b) const {
      return key(a) < key(b);
    }
    static std::tuple<std::string_view, std::string_view> key(const where &w) { return {w.queue, w.partition}; }
    static std::tuple<std::string_view, std::string_view> key(const decision_view &d) { return {d.queue, d.partition}; }
  };
  using by_queue = std::map<where, queue_tally, before>;

  // On the kernel's thread, while the decisions are handed over.
  void count(std::span<const decision_view> decisions);
  // Forgets queues of partitions that the kernel no longer has, where no further name would be counted.
  void forget_gone(const kernel &k);
  [[nodiscard]] by_queue all() const;

 private:
  queue_tally &of(const decision_view &d);

  mutable std::mutex mutex_;
  by_queue queues_;
};

}  // namespace tenon::observe
