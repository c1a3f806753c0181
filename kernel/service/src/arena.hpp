// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Memory for things that are forgotten together. What was used once is kept, so that reuse allocates nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tenon::service {

class arena {
 public:
  void *take(size_t bytes, size_t alignment) {
    for (; block_ < blocks_.size(); ++block_, at_ = 0) {
      const size_t start = (at_ + alignment - 1) & ~(alignment - 1);
      if (start + bytes > blocks_[block_].size) continue;
      at_ = start + bytes;
      return blocks_[block_].bytes.get() + start;
    }
    const size_t size = std::max(bytes, std::min(largest_block, smallest_block << std::min<size_t>(blocks_.size(), 8)));
    blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
    held_ += size;
    at_ = bytes;
    return blocks_.back().bytes.get();
  }

  template <class T>
  [[nodiscard]] std::span<T> array(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>, "nobody destroys it");
    if (count == 0) return {};
    T *first = static_cast<T *>(take(count * sizeof(T), alignof(T)));
    std::uninitialized_value_construct_n(first, count);
    return {first, count};
  }

  template <class T>
  [[nodiscard]] T &make(const T &value) {
    static_assert(std::is_trivially_destructible_v<T>, "nobody destroys it");
    return *new (take(sizeof(T), alignof(T))) T(value);
  }

  [[nodiscard]] std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char *to = static_cast<char *>(take(text.size(), 1));
    std::memcpy(to, text.data(), text.size());
    return {to, text.size()};
  }

  void reset() { block_ = at_ = 0; }
  [[nodiscard]] size_t held() const { return held_; }

 private:
  static constexpr size_t smallest_block = 2'048, largest_block = 65'536;
  struct block {
    std::unique_ptr<std::byte[]> bytes;
    size_t size;
  };
  std::vector<block> blocks_;
  size_t block_ = 0, at_ = 0, held_ = 0;
};

}  // namespace tenon::service
