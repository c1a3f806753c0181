// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Facts on their way from the cycle thread to the event thread: a bounded ring of bytes with one writer and one reader,
// neither of which ever waits for the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "tenon/kernel/facts.hpp"

namespace tenon::events {

// What of a resource vector goes along; a view into the ring.
class queued_amounts {
 public:
  queued_amounts() = default;
  queued_amounts(const char *at, uint32_t count) : at_(at), count_(count) {}
  [[nodiscard]] bool present() const { return at_ != nullptr; }
  [[nodiscard]] uint32_t count() const { return count_; }
  template <class F>
  void for_each(F &&f) const;  // f(type, amount), by index of the type

 private:
  const char *at_ = nullptr;
  uint32_t count_ = 0;
};

// A fact as it comes out: its amounts are queued_amounts, all views live until the next pop.
struct queued_fact {
  uint64_t first_id = 0;
  fact what;  // without amounts, available and types
  queued_amounts amounts, available;
};

class fact_queue {
 public:
  // A power of two is taken that is no less.
  explicit fact_queue(size_t bytes);

  // False: there is no room. By the writer.
  bool push(const fact &what, uint64_t first_id);

  // By the reader: calls f(queued_fact) for at most `limit` facts; gives their number.
  template <class F>
  size_t pop(size_t limit, F &&f);

  [[nodiscard]] size_t capacity() const { return mask_ + 1; }
  // From any thread, as of some moment.
  [[nodiscard]] size_t used() const {
    return static_cast<size_t>(head_.load(std::memory_order_acquire) - tail_.load(std::memory_order_acquire));
  }

 private:
  [[nodiscard]] static queued_fact decode(const char *at);
  [[nodiscard]] const char *next(uint64_t &tail) const;  // past gaps; null: empty

  std::unique_ptr<char[]> room_;
  size_t mask_;
  // Positions only grow; each side's own, and what it knows of the other's, on a line of its own.
  alignas(64) std::atomic<uint64_t> head_{0};
  uint64_t known_tail_ = 0;
  alignas(64) std::atomic<uint64_t> tail_{0};
};

template <class F>
void queued_amounts::for_each(F &&f) const {
  const char *at = at_;
  for (uint32_t i = 0; i < count_; ++i) {
    int64_t amount = 0;
    __builtin_memcpy(&amount, at, sizeof amount);
    const auto length = static_cast<uint8_t>(at[sizeof amount]);
    f(std::string_view(at + sizeof amount + 1, length), amount);
    at += sizeof amount + 1 + length;
  }
}

template <class F>
size_t fact_queue::pop(size_t limit, F &&f) {
  size_t count = 0;
  uint64_t tail = tail_.load(std::memory_order_relaxed);
  for (; count < limit; ++count) {
    const char *at = next(tail);
    if (at == nullptr) break;
    f(decode(at));
    uint32_t size = 0;
    __builtin_memcpy(&size, at, sizeof size);
    tail += size;
    tail_.store(tail, std::memory_order_release);
  }
  return count;
}

}  // namespace tenon::events
