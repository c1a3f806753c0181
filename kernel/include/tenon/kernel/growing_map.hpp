// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A hash map that grows a little at each insertion: one of half a million texts takes 100 ms to grow at once, in which
// nothing else would happen.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

namespace tenon {

template <class Key, class Value, class Hash = boost::hash<Key>, class Equal = std::equal_to<Key>>
class growing_map {
  using table = boost::unordered_flat_map<Key, Value, Hash, Equal>;
  using place = typename table::const_iterator;

 public:
  // In any order. An insertion ends it.
  class const_iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = typename table::value_type;
    using difference_type = std::ptrdiff_t;
    using pointer = const value_type *;
    using reference = const value_type &;

    const_iterator() = default;
    reference operator*() const { return *at_; }
    pointer operator->() const { return &*at_; }
    const_iterator &operator++() {
      ++at_;
      if (of_ != nullptr && at_ == of_->leaving_.end()) *this = {of_->table_.begin(), nullptr};
      return *this;
    }
    const_iterator operator++(int) {
      const_iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const const_iterator &left, const const_iterator &right) { return left.at_ == right.at_; }

   private:
    friend growing_map;
    const_iterator(place at, const growing_map *of) : at_(at), of_(of) {}
    place at_;
    const growing_map *of_ = nullptr;  // while it is among those that leave
  };

  growing_map() = default;
  growing_map(const growing_map &) = delete;
  growing_map &operator=(const growing_map &) = delete;
  growing_map(growing_map &&) = default;
  growing_map &operator=(growing_map &&) = default;

  [[nodiscard]] size_t size() const { return table_.size() + leaving_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] const_iterator begin() const {
    return leaving_.empty() ? const_iterator(table_.begin(), nullptr) : const_iterator(leaving_.begin(), this);
  }
  [[nodiscard]] const_iterator end() const { return {table_.end(), nullptr}; }

  template <class Like>
  [[nodiscard]] const_iterator find(const Like &key) const {
    if (!leaving_.empty()) {
      if (const place found = leaving_.find(key); found != leaving_.end()) return {found, this};
    }
    return {table_.find(key), nullptr};
  }

  // Nothing where the key is there already.
  bool emplace(const Key &key, Value value) {
    make_room();
    if (!leaving_.empty() && leaving_.contains(key)) return false;
    return table_.emplace(key, std::move(value)).second;
  }

  void insert_or_assign(const Key &key, Value value) {
    make_room();
    if (!leaving_.empty()) {
      if (const auto found = leaving_.find(key); found != leaving_.end()) {
        found->second = std::move(value);
        return;
      }
    }
    table_.insert_or_assign(key, std::move(value));
  }

  template <class Like>
  size_t erase(const Like &key) {
    if (!leaving_.empty()) {
      if (const auto found = leaving_.find(key); found != leaving_.end()) {
        if (next_ == found) ++next_;
        leaving_.erase(found);
        drop_if_left();
        return 1;
      }
    }
    return table_.erase(key);
  }

 private:
  static constexpr size_t small = 4'096;  // grows at once: some 0.2 ms
  static constexpr size_t moves = 4;      // one would do: the new table has room for twice as many

  void make_room() {
    if (leaving_.empty()) {
      if (table_.size() < small || table_.size() < table_.max_load()) return;
      leaving_ = std::exchange(table_, table());
      table_.reserve(leaving_.size() * 2);
      next_ = leaving_.begin();
    }
    for (size_t i = 0; i < moves && next_ != leaving_.end(); ++i) {
      const auto moved = next_++;
      table_.emplace(moved->first, std::move(moved->second));
      leaving_.erase(moved);
    }
    drop_if_left();
  }

  void drop_if_left() {
    if (leaving_.empty() && leaving_.bucket_count() != 0) leaving_ = table();
  }

  table table_;
  table leaving_;                    // what was there before the last growth and has not moved yet
  typename table::iterator next_{};  // of leaving_
};

}  // namespace tenon
