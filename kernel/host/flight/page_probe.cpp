// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "flight/page_probe.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tenon::host {
namespace {

constexpr uintptr_t page_bytes = 4096;

}  // namespace

page_probe::~page_probe() {
  for (const int end : ends_)
    if (end >= 0) ::close(end);
}

bool page_probe::open() { return ::pipe2(ends_, O_CLOEXEC | O_NONBLOCK) == 0; }

// The system calls themselves: a sanitizer's wrappers look at the memory first.
bool page_probe::can_read_page(uintptr_t page) {
  char took = 0;
  if (::syscall(SYS_write, ends_[1], page, 1) != 1) return false;
  return ::syscall(SYS_read, ends_[0], &took, 1) == 1;
}

bool page_probe::can_read(const void *from, size_t bytes) {
  if (bytes == 0) return true;
  const auto first = reinterpret_cast<uintptr_t>(from);
  if (first + bytes < first) return false;
  for (uintptr_t page = first / page_bytes; page <= (first + bytes - 1) / page_bytes; ++page) {
    uintptr_t &known = known_[page % known_.size()];
    if (known == page && page != 0) continue;
    if (!can_read_page(page * page_bytes)) return false;
    known = page;
  }
  return true;
}

}  // namespace tenon::host
