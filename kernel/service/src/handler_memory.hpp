// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Memory for one handler that waits for its turn at a time, so that posting it allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <new>

namespace tenon::service {

class handler_memory {
 public:
  template <class T>
  class allocator {
   public:
    using value_type = T;
    explicit allocator(handler_memory &in) : in_(&in) {}
    template <class U>
    allocator(const allocator<U> &other) : in_(other.in_) {}  // NOLINT(google-explicit-constructor)

    T *allocate(size_t count) {
      if (count * sizeof(T) > in_->bytes_.size()) throw std::bad_alloc();
      return reinterpret_cast<T *>(in_->bytes_.data());
    }
    void deallocate(T *, size_t) {}
    friend bool operator==(const allocator &a, const allocator &b) { return a.in_ == b.in_; }

   private:
    template <class U>
    friend class allocator;
    handler_memory *in_;
  };

  // For the next handler; the one before it has begun.
  allocator<std::byte> take() { return allocator<std::byte>(*this); }

 private:
  alignas(std::max_align_t) std::array<std::byte, 256> bytes_;
};

}  // namespace tenon::service
