// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Frozen past: what is new no more, kept while a moment that has it is read.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <type_traits>
#include <utility>

namespace tenon::internal {

class frozen_past {
 public:
  // A moment in the hands of readers. They let it go on any thread.
  struct reading {
    explicit reading(uint64_t of) : moment(of) {}
    const uint64_t moment;
    std::atomic<bool> over{false};
  };

  frozen_past() = default;
  ~frozen_past() {
    for (const old &one : old_) one.free(one.what);
  }
  frozen_past(const frozen_past &) = delete;
  frozen_past &operator=(const frozen_past &) = delete;

  // The one that is in the making.
  [[nodiscard]] uint64_t moment() const { return moment_; }
  // It is made, and read from now on.
  std::shared_ptr<reading> publish() { return read_.emplace_back(std::make_shared<reading>(moment_++)); }

  // What a block points to: `by`, which may be nothing, from now on.
  template <class T>
  void replace(const T *&at, std::unique_ptr<T> by) {
    if (at != nullptr) {
      kept_ -= at->bytes();
      retire(at, at->bytes());
    }
    if (by != nullptr) kept_ += by->bytes();
    at = by.release();
  }
  template <class T>
  void drop(const T *&at) {
    replace(at, std::unique_ptr<T>());
  }
  // Not part of this moment any more; null is nothing.
  template <class T>
  void retire(T *what, size_t bytes = sizeof(T)) {
    if (what == nullptr) return;
    bytes_ += bytes;
    old_.push_back({moment_, bytes, const_cast<std::remove_const_t<T> *>(what),
                    [](void *at) { delete static_cast<std::remove_const_t<T> *>(at); }});
  }

  // Frees some of what nobody reads: so much that it does not gather, and no more at once than takes a moment.
  void collect() {
    forget_readers();
    const uint64_t oldest = read_.empty() ? moment_ : read_.front()->moment;
    // What was retired in the making of a moment belongs to earlier ones.
    for (size_t most = std::max<size_t>(4096, old_.size() / 4);
         most != 0 && !old_.empty() && old_.front().moment <= oldest; --most) {
      bytes_ -= old_.front().bytes;
      old_.front().free(old_.front().what);
      old_.pop_front();
    }
  }

  [[nodiscard]] bool is_read() {
    forget_readers();
    return !read_.empty();
  }
  [[nodiscard]] bool empty() const { return old_.empty(); }
  // Of what blocks point to, and of what is new no more.
  [[nodiscard]] size_t bytes() const { return kept_ + bytes_; }

 private:
  void forget_readers() {
    while (!read_.empty() && read_.front()->over.load(std::memory_order_acquire)) read_.pop_front();
  }

  struct old {
    uint64_t moment;  // in the making of which it was retired
    size_t bytes;
    void *what;
    void (*free)(void *);
  };
  uint64_t moment_ = 1;
  std::deque<std::shared_ptr<reading>> read_;  // by moment
  std::deque<old> old_;                        // by moment
  size_t kept_ = 0, bytes_ = 0;
};

}  // namespace tenon::internal
