// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Few: pointers in order, mostly none or one. More of them stand in a vector beside it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace tenon::internal {

template <class T>
class few {
 public:
  [[nodiscard]] size_t size() const { return more_ != nullptr ? more_->size() : one_ != nullptr ? 1 : 0; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] T *const *begin() const { return more_ != nullptr ? more_->data() : &one_; }
  [[nodiscard]] T *const *end() const { return begin() + size(); }

  void push_back(T *item) {
    if (more_ != nullptr) {
      more_->push_back(item);
    } else if (one_ == nullptr) {
      one_ = item;
    } else {
      more_ = std::make_unique<std::vector<T *>>(std::initializer_list<T *>{one_, item});
      one_ = nullptr;
    }
  }
  // One that is there.
  void erase(T *item) {
    if (more_ == nullptr) {
      one_ = nullptr;
      return;
    }
    more_->erase(std::find(more_->begin(), more_->end(), item));
    if (more_->size() > 1) return;
    one_ = more_->front();
    more_.reset();
  }

 private:
  T *one_ = nullptr;  // null where there are more
  std::unique_ptr<std::vector<T *>> more_;
};

}  // namespace tenon::internal
