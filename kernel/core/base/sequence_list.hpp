// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Sequence list: pointers to items in the order of their numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace tenon::internal {

// The number of an item that has a member `sequence`.
struct own_sequence {
  template <class T>
  uint64_t operator()(const T &item) const {
    return item.sequence;
  }
};

// An item is found and removed in the logarithm of their number: the place of a removed item stays empty until half of
// the places are. The newest item is added, and the oldest removed, at no cost. Iterators skip empty places; every
// change invalidates them.
template <class T, class Number = own_sequence>
class sequence_list {
  struct place {
    uint64_t number;
    T *item;  // null: empty
  };

 public:
  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T *;
    using difference_type = ptrdiff_t;
    using pointer = T *const *;
    using reference = T *;

    iterator() = default;
    reference operator*() const { return at_->item; }
    iterator &operator++() {
      ++at_;
      skip_empty();
      return *this;
    }
    iterator operator++(int) {
      const iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator &a, const iterator &b) { return a.at_ == b.at_; }

   private:
    friend class sequence_list;
    iterator(const place *at, const place *end) : at_(at), end_(end) { skip_empty(); }
    void skip_empty() {
      while (at_ != end_ && at_->item == nullptr) ++at_;
    }

    const place *at_ = nullptr, *end_ = nullptr;
  };

  [[nodiscard]] size_t size() const { return places_.size() - empty_; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] iterator begin() const { return {places_.data() + first_, places_.data() + places_.size()}; }
  [[nodiscard]] iterator end() const { return {places_.data() + places_.size(), places_.data() + places_.size()}; }
  // The first item with a larger number.
  [[nodiscard]] iterator after(uint64_t number) const {
    const auto at = std::upper_bound(places_.begin() + static_cast<ptrdiff_t>(first_), places_.end(), number, behind);
    return {places_.data() + (at - places_.begin()), places_.data() + places_.size()};
  }
  // Returns the item with this number, or null.
  [[nodiscard]] T *find(uint64_t number) const {
    const auto at = std::lower_bound(places_.begin(), places_.end(), number, before);
    return at == places_.end() || at->number != number ? nullptr : at->item;
  }

  // Requires that no item in the list has its number.
  void insert(T *item) {
    const uint64_t number = Number{}(*item);
    if (places_.empty() || places_.back().number < number) {
      places_.push_back({number, item});
    } else {
      insert_between(number, item);
    }
  }
  // Requires that the item is in the list.
  void erase(T *item) {
    if (places_[first_].item == item) {
      places_[first_].item = nullptr;
    } else {
      std::lower_bound(places_.begin(), places_.end(), Number{}(*item), before)->item = nullptr;
    }
    if (++empty_ == places_.size()) {
      places_.clear();
      empty_ = first_ = 0;
    } else if (empty_ * 2 > places_.size()) {
      std::erase_if(places_, [](const place &p) { return p.item == nullptr; });
      empty_ = first_ = 0;
    }
    while (first_ < places_.size() && places_[first_].item == nullptr) ++first_;
  }

 private:
  static bool before(const place &p, uint64_t number) { return p.number < number; }
  static bool behind(uint64_t number, const place &p) { return number < p.number; }
  void insert_between(uint64_t number, T *item) {
    const auto at = std::lower_bound(places_.begin(), places_.end(), number, before);
    if (at->number == number) {
      at->item = item;
      --empty_;
    } else {
      places_.insert(at, {number, item});
    }
    first_ = 0;
  }

  std::vector<place> places_;
  size_t first_ = 0;  // no item is before this place
  size_t empty_ = 0;  // places
};

}  // namespace tenon::internal
