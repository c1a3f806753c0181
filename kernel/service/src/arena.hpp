// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Memory for things that are forgotten together. What was used once is kept, so that reuse allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <type_traits>

namespace tenon::service {

class arena {
 public:
  template <class T>
  [[nodiscard]] std::span<T> array(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>, "nobody destroys it");
    static_assert(alignof(T) <= alignof(std::max_align_t), "blocks are aligned for that");
    if (count == 0) return {};
    T *first = static_cast<T *>(memory_.allocate(count * sizeof(T), alignof(T)));
    std::uninitialized_value_construct_n(first, count);
    return {first, count};
  }

  template <class T>
  [[nodiscard]] T &make(const T &value) {
    static_assert(std::is_trivially_destructible_v<T>, "nobody destroys it");
    static_assert(alignof(T) <= alignof(std::max_align_t), "blocks are aligned for that");
    return *new (memory_.allocate(sizeof(T), alignof(T))) T(value);
  }

  [[nodiscard]] std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char *to = static_cast<char *>(memory_.allocate(text.size(), 1));
    std::memcpy(to, text.data(), text.size());
    return {to, text.size()};
  }

  void reset() { memory_.release(); }
  [[nodiscard]] size_t held() const { return blocks_.held(); }

 private:
  // The memory's blocks between two uses. They are asked for in the same sizes each time.
  class blocks final : public std::pmr::memory_resource {
   public:
    ~blocks() override {
      for (size_t i = 0; i < spare_count_; ++i) upstream().deallocate(spare_[i].at, spare_[i].bytes);
    }
    [[nodiscard]] size_t held() const { return held_; }

   private:
    struct block {
      void *at;
      size_t bytes;
    };
    static std::pmr::memory_resource &upstream() { return *std::pmr::new_delete_resource(); }
    void *do_allocate(size_t bytes, size_t) override {
      for (size_t i = 0; i < spare_count_; ++i) {
        if (spare_[i].bytes != bytes) continue;
        void *const out = spare_[i].at;
        spare_[i] = spare_[--spare_count_];
        return out;
      }
      held_ += bytes;
      return upstream().allocate(bytes);
    }
    void do_deallocate(void *at, size_t bytes, size_t) override {
      if (spare_count_ < spare_.size()) {
        spare_[spare_count_++] = {at, bytes};
        return;
      }
      held_ -= bytes;
      upstream().deallocate(at, bytes);
    }
    [[nodiscard]] bool do_is_equal(const memory_resource &other) const noexcept override { return this == &other; }

    std::array<block, 16> spare_;
    size_t spare_count_ = 0, held_ = 0;
  };

  blocks blocks_;
  std::pmr::monotonic_buffer_resource memory_{2'048, &blocks_};
};

}  // namespace tenon::service
