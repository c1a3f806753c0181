// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "allocation_watch.hpp"

#include <cstdlib>
#include <new>

namespace tenon {

std::atomic<size_t> largest_allocation{0};

}  // namespace tenon

void *operator new(size_t size) {
  if (size > tenon::largest_allocation) tenon::largest_allocation = size;
  if (void *memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
