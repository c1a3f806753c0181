// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Slab: objects with stable addresses and small ids, whose storage is reused only after a flush.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace tenon::internal {

// A page of what most partitions have few of.
inline constexpr uint32_t small_page_bytes = 512;

// Ids start at 0 and are reused. A retired object stays readable until flush(): decisions that name it
// may not have been drained yet.
template <class T, uint32_t page_bytes = 4096>
class slab {
 public:
  slab() = default;
  slab(const slab &) = delete;
  slab &operator=(const slab &) = delete;
  ~slab() {
    for (uint32_t id = extent_; id-- > 0;) (*this)[id].~T();
  }

  T &create() {
    if (free_.empty()) {
      if (extent_ == room()) pages_.push_back(std::make_unique_for_overwrite<page>());
      ::new (at(extent_)) T();
      (*this)[extent_].index = extent_;
      return made((*this)[extent_++]);
    }
    T &item = (*this)[free_.back()];
    item.index = free_.back();  // as new otherwise, since the flush
    free_.pop_back();
    return made(item);
  }

  void retire(T &item) {
    item.live = false;
    --live_;
    retired_.push_back(item.index);
  }

  void flush() {
    flush([](T &) {});
  }
  // `last` sees each one before it is as new.
  template <class F>
  void flush(F &&last) {
    for (const uint32_t id : retired_) {
      T &item = (*this)[id];
      last(item);
      item = T{};
      free_.push_back(id);
    }
    retired_.clear();
  }
  // Where a page is nearly full, the next one is there before somebody waits for it: the first touch of memory costs
  // more than a decision.
  void make_room_ahead() {
    if (room() - extent_ > objects_a_page / 4 || extent_ == 0) return;
    pages_.push_back(std::make_unique_for_overwrite<page>());
    volatile std::byte *fresh = pages_.back()->bytes;
    for (size_t i = 0; i < sizeof(page); i += touched_at_once) fresh[i] = std::byte{};
    fresh[sizeof(page) - 1] = std::byte{};
  }

  [[nodiscard]] T &operator[](uint32_t id) { return *std::launder(static_cast<T *>(at(id))); }
  [[nodiscard]] const T &operator[](uint32_t id) const { return *std::launder(static_cast<const T *>(at(id))); }
  [[nodiscard]] uint32_t extent() const { return extent_; }
  [[nodiscard]] uint32_t live() const { return live_; }

 private:
  static constexpr uint32_t objects_a_page = sizeof(T) < page_bytes ? page_bytes / sizeof(T) : 1;
  static constexpr size_t touched_at_once = 4096;  // no operating system has smaller pages
  static constexpr size_t cache_line = 64;
  struct page {
    alignas(alignof(T) < cache_line ? cache_line : alignof(T)) std::byte bytes[objects_a_page * sizeof(T)];
  };

  [[nodiscard]] size_t room() const { return pages_.size() * objects_a_page; }
  [[nodiscard]] void *at(uint32_t id) const {
    return pages_[id / objects_a_page]->bytes + id % objects_a_page * sizeof(T);
  }
  T &made(T &item) {
    item.live = true;
    ++live_;
    return item;
  }

  std::vector<std::unique_ptr<page>> pages_;
  std::vector<uint32_t> free_;
  std::vector<uint32_t> retired_;
  uint32_t extent_ = 0;  // so many were ever made
  uint32_t live_ = 0;
};

}  // namespace tenon::internal
