// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "allocation_watch.hpp"

#include <cstdlib>
#include <new>

namespace tenon {

std::atomic<size_t> largest_allocation{0};
std::atomic<size_t> allocation_count{0};

namespace {

void *watched(size_t size, void *memory) {
  ++allocation_count;
  if (size > largest_allocation) largest_allocation = size;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace
}  // namespace tenon

void *operator new(size_t size) { return tenon::watched(size, std::malloc(size == 0 ? 1 : size)); }
void *operator new(size_t size, std::align_val_t alignment) {
  const auto step = static_cast<size_t>(alignment);
  return tenon::watched(size, std::aligned_alloc(step, (size + step - 1) / step * step));
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void *memory, size_t, std::align_val_t) noexcept { std::free(memory); }
