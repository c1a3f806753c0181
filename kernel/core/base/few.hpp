// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Few: pointers to items with a member `sequence`, in that order, mostly none or one. More of them stand in a list
// beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>

#include "base/sequence_list.hpp"

namespace tenon::internal {

template <class T>
class few {
 public:
  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T *;
    using difference_type = ptrdiff_t;
    using pointer = T *const *;
    using reference = T *;

    iterator() = default;
    reference operator*() const { return one_ != nullptr ? one_ : *at_; }
    iterator &operator++() {
      if (one_ != nullptr) {
        one_ = nullptr;
      } else {
        ++at_;
      }
      return *this;
    }
    iterator operator++(int) {
      const iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator &, const iterator &) = default;

   private:
    friend class few;
    explicit iterator(T *one) : one_(one) {}
    explicit iterator(typename sequence_list<T>::iterator at) : at_(at) {}

    T *one_ = nullptr;
    typename sequence_list<T>::iterator at_;
  };

  [[nodiscard]] size_t size() const { return more_ != nullptr ? more_->size() : one_ != nullptr ? 1 : 0; }
  [[nodiscard]] bool empty() const { return one_ == nullptr && more_ == nullptr; }
  [[nodiscard]] iterator begin() const { return more_ != nullptr ? iterator(more_->begin()) : iterator(one_); }
  [[nodiscard]] iterator end() const { return more_ != nullptr ? iterator(more_->end()) : iterator(); }
  // Returns the item with this sequence, or null.
  [[nodiscard]] T *find(uint64_t sequence) const {
    if (more_ != nullptr) return more_->find(sequence);
    return one_ != nullptr && one_->sequence == sequence ? one_ : nullptr;
  }

  void insert(T *item) {
    if (more_ != nullptr) {
      more_->insert(item);
    } else if (one_ == nullptr) {
      one_ = item;
    } else {
      more_ = std::make_unique<sequence_list<T>>();
      more_->insert(one_);
      more_->insert(item);
      one_ = nullptr;
    }
  }
  // Requires that the item is in it.
  void erase(T *item) {
    if (more_ == nullptr) {
      one_ = nullptr;
      return;
    }
    more_->erase(item);
    if (more_->size() > 1) return;
    one_ = *more_->begin();
    more_.reset();
  }

 private:
  T *one_ = nullptr;  // null where there are more
  std::unique_ptr<sequence_list<T>> more_;
};

}  // namespace tenon::internal
