// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A lock that somebody waits for no longer than they want to. It stands in for std::timed_mutex, whose waiting
// (pthread_mutex_clocklock) the thread sanitizer of GCC 12 does not see: it would report every unlock after it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace tenon::events {

class turn_lock {
 public:
  void lock() {
    std::unique_lock inner(mutex_);
    free_.wait(inner, [this] { return !taken_; });
    taken_ = true;
  }

  bool try_lock_for(std::chrono::milliseconds patience) {
    std::unique_lock inner(mutex_);
    if (!free_.wait_for(inner, patience, [this] { return !taken_; })) return false;
    taken_ = true;
    return true;
  }

  void unlock() {
    {
      const std::lock_guard inner(mutex_);
      taken_ = false;
    }
    free_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  bool taken_ = false;
};

}  // namespace tenon::events
