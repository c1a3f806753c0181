// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Indexed heap: a 4-ary heap of pointers whose items know their position, so that any can be moved.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tenon::internal {

inline constexpr uint32_t not_in_heap = ~uint32_t{0};

// `Before(a, b)` is a strict order; `Position(item)` is a reference to where the item keeps its position.
// A change of an item's order must be followed by update() before the order of another item changes.
template <class T, class Before, class Position>
class indexed_heap {
 public:
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(items_.size()); }
  [[nodiscard]] T *top() const { return items_.front(); }
  [[nodiscard]] const std::vector<T *> &items() const { return items_; }  // heap order, not sorted
  [[nodiscard]] bool contains(const T *item) const { return Position{}(*item) != not_in_heap; }

  void push(T *item) {
    items_.push_back(item);
    up(size() - 1);
  }

  void erase(T *item) {
    const uint32_t at = Position{}(*item);
    Position{}(*item) = not_in_heap;
    T *last = items_.back();
    items_.pop_back();
    if (at == items_.size()) return;
    place(at, last);
    update(last);
  }

  void update(T *item) {
    const uint32_t at = Position{}(*item);
    if (at != 0 && Before{}(*item, *items_[(at - 1) / 4])) {
      up(at);
    } else {
      down(at);
    }
  }

 private:
  void place(uint32_t at, T *item) {
    items_[at] = item;
    Position{}(*item) = at;
  }

  void up(uint32_t at) {
    T *item = items_[at];
    while (at != 0) {
      const uint32_t parent = (at - 1) / 4;
      if (!Before{}(*item, *items_[parent])) break;
      place(at, items_[parent]);
      at = parent;
    }
    place(at, item);
  }

  void down(uint32_t at) {
    T *item = items_[at];
    const uint32_t count = size();
    for (;;) {
      const uint32_t first = at * 4 + 1;
      if (first >= count) break;
      uint32_t best = first;
      const uint32_t end = first + 4 < count ? first + 4 : count;
      for (uint32_t child = first + 1; child < end; ++child) {
        if (Before{}(*items_[child], *items_[best])) best = child;
      }
      if (!Before{}(*items_[best], *item)) break;
      place(at, items_[best]);
      at = best;
    }
    place(at, item);
  }

  std::vector<T *> items_;
};

}  // namespace tenon::internal
