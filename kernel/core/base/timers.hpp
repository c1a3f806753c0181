// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Timers: what is to happen later, earliest first. Void ones are forgotten a few at a time, so that a timer of a day
// that was armed for a minute's work does not stay a day.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tenon/kernel/partition_id.hpp"

namespace tenon::internal {

enum class timer_kind : uint8_t {
  application_state,
  application_execution,
  allocation_execution,
  app_rekey,
  queue_rekey,
  placeholders,
  left_over,
  reservation_wait,
  rm_check,
  ask_alarm,
  predicate,
  quota,
  drain,
  cleaner
};

struct timer {
  int64_t due_ms = 0;
  uint64_t sequence = 0;  // of its creation
  timer_kind kind = timer_kind::application_state;
  partition_id where = partition_id::none;
  uint32_t object = 0;  // slab id
  uint64_t epoch = 0;   // void when the object has another one by now

  // Cleaners come after all others of their time.
  [[nodiscard]] bool before(const timer &other) const {
    if (due_ms != other.due_ms) return due_ms < other.due_ms;
    const bool cleans = kind == timer_kind::cleaner, other_cleans = other.kind == timer_kind::cleaner;
    return cleans != other_cleans ? other_cleans : sequence < other.sequence;
  }
};

// A binary heap.
class timers {
 public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] size_t size() const { return heap_.size(); }
  [[nodiscard]] const timer &top() const { return heap_.front(); }
  [[nodiscard]] const std::vector<timer> &all() const { return heap_; }  // in no order

  void arm(int64_t due_ms, timer_kind kind, partition_id where, uint32_t object, uint64_t epoch) {
    heap_.push_back({due_ms, next_++, kind, where, object, epoch});
    up(heap_.size() - 1);
    owed_ += looks_for_each;
  }

  timer pop() {
    const timer out = heap_.front();
    remove(0);
    return out;
  }

  // Looks at two timers for each that was armed since the last call. So those that are void are soon less than twice
  // the others, at a cost that does not depend on how many there are. `is_void` must answer true for ever once it did.
  template <class Void>
  void forget(const Void &is_void) {
    for (; owed_ > 0 && !heap_.empty(); --owed_) {
      if (look_ >= heap_.size()) look_ = 0;
      if (is_void(heap_[look_])) {
        remove(look_);
      } else {
        ++look_;
      }
    }
    owed_ = 0;
  }

 private:
  static constexpr uint64_t looks_for_each = 2;

  void remove(size_t at) {
    const timer last = heap_.back();
    heap_.pop_back();
    if (at == heap_.size()) return;
    heap_[at] = last;
    if (at != 0 && last.before(heap_[(at - 1) / 2])) {
      up(at);
    } else {
      down(at);
    }
  }

  void up(size_t at) {
    const timer moving = heap_[at];
    for (size_t parent = 0; at != 0 && moving.before(heap_[parent = (at - 1) / 2]); at = parent) {
      heap_[at] = heap_[parent];
    }
    heap_[at] = moving;
  }

  void down(size_t at) {
    const timer moving = heap_[at];
    for (size_t child = 0; (child = 2 * at + 1) < heap_.size(); at = child) {
      if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) ++child;
      if (!heap_[child].before(moving)) break;
      heap_[at] = heap_[child];
    }
    heap_[at] = moving;
  }

  std::vector<timer> heap_;
  uint64_t next_ = 1;
  uint64_t owed_ = 0;  // looks
  size_t look_ = 0;    // where the next one goes
};

}  // namespace tenon::internal
