// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Sorted run: pointers in order, taken from the front or anywhere. What comes last in order is added at no cost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tenon::internal {

// `Before(a, b)` is a strict order of items, and what it looks at does not change while they are in.
template <class T, class Before>
class sorted_run {
 public:
  [[nodiscard]] bool empty() const { return head_ == items_.size(); }
  [[nodiscard]] size_t size() const { return items_.size() - head_; }
  [[nodiscard]] T *first() const { return items_[head_]; }
  [[nodiscard]] auto begin() const { return items_.begin() + static_cast<ptrdiff_t>(head_); }
  [[nodiscard]] auto end() const { return items_.end(); }

  void insert(T *item) {
    if (empty() || !Before{}(*item, *items_.back())) {
      items_.push_back(item);
    } else {
      items_.insert(std::upper_bound(from(), items_.end(), item, before), item);
    }
  }

  void erase(T *item) {
    if (first() != item) {
      items_.erase(std::lower_bound(from(), items_.end(), item, before));
      return;
    }
    ++head_;
    if (empty()) {
      items_.clear();
      head_ = 0;
    } else if (head_ >= 64 && head_ * 2 > items_.size()) {
      items_.erase(items_.begin(), from());
      head_ = 0;
    }
  }

 private:
  static bool before(const T *a, const T *b) { return Before{}(*a, *b); }
  auto from() { return items_.begin() + static_cast<ptrdiff_t>(head_); }

  std::vector<T *> items_;  // sorted from head_
  size_t head_ = 0;
};

}  // namespace tenon::internal
