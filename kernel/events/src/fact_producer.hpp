// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The hub's ear on the cycle thread: numbers what it hears, queues it, and wakes the event thread when that sleeps.
#pragma once

#include <atomic>

#include "fact_queue.hpp"
#include "tenon/events/trigger.hpp"

namespace tenon::events {

class fact_producer : public fact_listener {
 public:
  explicit fact_producer(size_t bytes) : queue_(bytes) {}

  void take(const fact &what) override {
    const uint32_t count = record_count(what);
    const uint64_t first = next_id_.fetch_add(count, std::memory_order_relaxed);
    if (!queue_.push(what, first)) {
      lost_.fetch_add(count, std::memory_order_relaxed);
      lost_through_.store(first + count - 1, std::memory_order_release);
    }
    // Both sides change the same word: either the event thread sees the fact before it sleeps, or this one sees that
    // it sleeps.
    if (asleep_.fetch_or(0, std::memory_order_acq_rel) != 0) wake();
  }

  // From any thread.
  void wake() {
    if (asleep_.exchange(0) != 0) asleep_.notify_one();
  }
  // Numbers for records that are made elsewhere.
  uint64_t next_id() { return next_id_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] uint64_t told() const { return next_id_.load(std::memory_order_relaxed) - 1; }
  [[nodiscard]] uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }
  // Everything of this id or less was queued before it is read, or is lost.
  [[nodiscard]] uint64_t lost_through() const { return lost_through_.load(std::memory_order_acquire); }

  // By the event thread: sleeps until somebody wakes it, unless `busy()`.
  template <class Busy>
  void sleep(Busy &&busy) {
    asleep_.exchange(1, std::memory_order_acq_rel);
    if (busy()) {
      asleep_.store(0, std::memory_order_relaxed);
      return;
    }
    asleep_.wait(1);
  }

  [[nodiscard]] fact_queue &queue() { return queue_; }
  [[nodiscard]] const fact_queue &queue() const { return queue_; }

 private:
  fact_queue queue_;
  alignas(64) std::atomic<uint64_t> next_id_{1};
  std::atomic<uint64_t> lost_{0}, lost_through_{0};
  alignas(64) std::atomic<uint32_t> asleep_{0};
};

}  // namespace tenon::events
