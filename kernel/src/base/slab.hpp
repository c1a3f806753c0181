// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Slab: objects with stable addresses and small ids, whose storage is reused only after a flush.
#pragma once

#include <boost/container/deque.hpp>
#include <cstdint>
#include <vector>

namespace tenon::internal {

// A page of what most partitions have few of.
inline constexpr uint32_t small_page_bytes = 512;

// Ids start at 0 and are reused. A retired object stays readable until flush(): decisions that name it
// may not have been drained yet.
template <class T, uint32_t page_bytes = 4096>
class slab {
 public:
  T &create() {
    if (!free_.empty()) {
      const uint32_t id = free_.back();
      free_.pop_back();
      items_[id].index = id;  // as new otherwise, since the flush
      items_[id].live = true;
      ++live_;
      return items_[id];
    }
    items_.emplace_back();
    items_.back().index = static_cast<uint32_t>(items_.size() - 1);
    items_.back().live = true;
    ++live_;
    return items_.back();
  }

  void retire(T &item) {
    item.live = false;
    --live_;
    retired_.push_back(item.index);
  }

  void flush() {
    for (const uint32_t id : retired_) {
      items_[id] = T{};
      free_.push_back(id);
    }
    retired_.clear();
  }

  [[nodiscard]] T &operator[](uint32_t id) { return items_[id]; }
  [[nodiscard]] const T &operator[](uint32_t id) const { return items_[id]; }
  [[nodiscard]] uint32_t extent() const { return static_cast<uint32_t>(items_.size()); }
  [[nodiscard]] uint32_t live() const { return live_; }

 private:
  // By the page: the standard library's deque would take a block of its own for every object or two.
  using paged = boost::container::deque_options_t<boost::container::block_bytes<page_bytes>>;
  boost::container::deque<T, void, paged> items_;
  std::vector<uint32_t> free_;
  std::vector<uint32_t> retired_;
  uint32_t live_ = 0;
};

}  // namespace tenon::internal
