// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Things that are used again, from any thread. Keeps a bounded number, and none that grew too large.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace tenon::service {

// T has reset() and held(), the bytes that it keeps.
template <class T>
class pool {
 public:
  explicit pool(size_t keep, size_t largest = size_t{1} << 20) : keep_(keep), largest_(largest) { free_.reserve(keep); }

  [[nodiscard]] std::unique_ptr<T> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        auto out = std::move(free_.back());
        free_.pop_back();
        return out;
      }
    }
    return std::make_unique<T>();
  }

  void give(std::unique_ptr<T> one) {
    if (!one || one->held() > largest_) return;
    one->reset();
    const std::lock_guard lock(mutex_);
    if (free_.size() < keep_) free_.push_back(std::move(one));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
  size_t keep_, largest_;
};

}  // namespace tenon::service
