// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Indexed heap: a 4-ary heap of pointers whose items know their position, so that any can be moved. The first
// words of each item's key stand beside its pointer: most comparisons touch the heap's own memory alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenon::internal {

inline constexpr uint32_t not_in_heap = ~uint32_t{0};

// The last word tells items apart that the others do not.
using key_prefix = std::array<uint64_t, 3>;

// `Before(a, b)` is a strict order; `Position(item)` is a reference to where the item keeps its position.
// `Prefix(item)` gives an array of words that agrees with the order: where they differ, the smaller is before.
// A change of an item's order must be followed by update() before the order of another item changes.
template <class T, class Before, class Position, class Prefix>
class indexed_heap {
 public:
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(entries_.size()); }
  [[nodiscard]] T *top() const { return entries_.front().item; }
  [[nodiscard]] bool contains(const T *item) const { return Position{}(*item) != not_in_heap; }

  void push(T *item) {
    if (first_is_stale_) entries_.front().prefix = Prefix{}(*top());
    first_is_stale_ = false;
    entries_.push_back({Prefix{}(*item), item});
    up(size() - 1);
  }

  void erase(T *item) {
    const uint32_t at = Position{}(*item);
    Position{}(*item) = not_in_heap;
    first_is_stale_ = false;
    const entry last = entries_.back();
    entries_.pop_back();
    if (at == entries_.size()) return;
    place(at, last);
    settle(at);
  }

  void update(T *item) {
    first_is_stale_ = entries_.size() == 1;  // nobody compares with it before another comes
    if (first_is_stale_) return;
    const uint32_t at = Position{}(*item);
    entries_[at].prefix = Prefix{}(*item);
    settle(at);
  }

 private:
  struct entry {
    std::invoke_result_t<Prefix, const T &> prefix;
    T *item;
  };

  static bool before(const entry &a, const entry &b) {
    for (size_t i = 0; i < a.prefix.size(); ++i) {
      if (a.prefix[i] != b.prefix[i]) return a.prefix[i] < b.prefix[i];
    }
    return Before{}(*a.item, *b.item);
  }

  void place(uint32_t at, const entry &e) {
    entries_[at] = e;
    Position{}(*e.item) = at;
  }

  void settle(uint32_t at) {
    if (at != 0 && before(entries_[at], entries_[(at - 1) / 4])) {
      up(at);
    } else {
      down(at);
    }
  }

  void up(uint32_t at) {
    const entry moving = entries_[at];
    while (at != 0) {
      const uint32_t parent = (at - 1) / 4;
      if (!before(moving, entries_[parent])) break;
      place(at, entries_[parent]);
      at = parent;
    }
    place(at, moving);
  }

  void down(uint32_t at) {
    const entry moving = entries_[at];
    const uint32_t count = size();
    for (;;) {
      const uint32_t first = at * 4 + 1;
      if (first >= count) break;
      uint32_t best = first;
      const uint32_t end = first + 4 < count ? first + 4 : count;
      for (uint32_t child = first + 1; child < end; ++child) {
        if (before(entries_[child], entries_[best])) best = child;
      }
      if (!before(entries_[best], moving)) break;
      place(at, entries_[best]);
      at = best;
    }
    place(at, moving);
  }

  std::vector<entry> entries_;
  bool first_is_stale_ = false;  // its prefix: it is alone
};

}  // namespace tenon::internal
