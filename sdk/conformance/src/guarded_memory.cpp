// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "guarded_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <new>

namespace tenon::conformance {
namespace {

// What the fault handler knows: it can neither allocate nor lock.
struct known_block {
  const char *name = nullptr;
  uintptr_t pages = 0, first = 0, end = 0, guard_end = 0;
  enum : uint32_t { live, frozen, retired } state = live;
};
constexpr size_t known_count = 1 << 15;
std::array<known_block, known_count> known;
size_t next_known = 0;
shared_page *words_to = nullptr;

size_t page_size() {
  static const auto size = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

known_block *find(uintptr_t address) {
  for (size_t back = 1; back <= known_count; ++back) {  // the newest that holds it
    known_block &b = known[(next_known + known_count - back) % known_count];
    if (b.name != nullptr && address >= b.pages && address < b.guard_end) return &b;
  }
  return nullptr;
}

void set_state(const void *pages, uint32_t state) {
  if (known_block *b = find(reinterpret_cast<uintptr_t>(pages))) b->state = static_cast<decltype(b->state)>(state);
}

void on_fault(int number, siginfo_t *about, void *) {
  const auto address = reinterpret_cast<uintptr_t>(about->si_addr);
  std::array<char, 400> text{};
  if (const known_block *b = find(address); b != nullptr && words_to != nullptr) {
    if (b->state == known_block::retired) {
      std::snprintf(text.data(), text.size(), "it used %s after the call that it was borrowed for", b->name);
    } else if (address >= b->end) {
      std::snprintf(text.data(), text.size(), "it went %zu bytes beyond the end of %s",
                    static_cast<size_t>(address - b->end) + 1, b->name);
    } else if (address < b->first) {
      std::snprintf(text.data(), text.size(), "it went before the beginning of %s", b->name);
    } else {
      std::snprintf(text.data(), text.size(), "it wrote to %s, which is only to be read", b->name);
    }
    words_to->note(text.data());
  }
  ::signal(number, SIG_DFL);
  ::raise(number);
}

struct grave {
  void *pages = nullptr;
  size_t length = 0;
};
// No container: what a check counts is the module's memory, not its own.
constexpr size_t grave_count = 8000;
std::array<grave, grave_count> graves;
size_t next_grave = 0;

// Mappings whose addresses are not used again for a while, the oldest given back first.
void bury(void *pages, size_t length, bool out_of_bounds) {
  if (out_of_bounds) {
    ::madvise(pages, length, MADV_DONTNEED);
    ::mprotect(pages, length, PROT_NONE);
  }
  grave &oldest = graves[next_grave];
  next_grave = (next_grave + 1) % grave_count;
  if (oldest.pages != nullptr) ::munmap(oldest.pages, oldest.length);
  oldest = {pages, length};
}

}  // namespace

void *guarded_memory::make(const char *name, size_t bytes, bool input, size_t alignment) {
  const size_t page = page_size();
  const bool guarded = guarded_ && (only_ == nullptr || std::strcmp(only_, name) == 0);
  const size_t whole = (bytes + page - 1) / page * page;
  // Loose blocks have whole behind them, as arrays in a program mostly do.
  const size_t behind = guarded ? page : page * 2;
  const size_t length = page + whole + behind;
  void *memory = ::mmap(nullptr, length, guarded ? PROT_NONE : PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  auto *pages = static_cast<char *>(memory);
  if (guarded && whole != 0) ::mprotect(pages + page, whole, PROT_READ | PROT_WRITE);
  blocks_.push_back({pages, length, input, guarded});
  char *first = pages + page;
  if (guarded) first += (whole - bytes) / alignment * alignment;
  if (guarded) {
    const auto base = reinterpret_cast<uintptr_t>(pages), start = reinterpret_cast<uintptr_t>(first);
    known[next_known] = {name, base, start, start + bytes, base + length, known_block::live};
    next_known = (next_known + 1) % known_count;
  }
  return first;
}

void guarded_memory::freeze() {
  if (!guarded_) return;
  const size_t page = page_size();
  for (const block &b : blocks_) {
    if (!b.guarded || !b.input || b.length == 2 * page) continue;
    ::mprotect(b.pages + page, b.length - 2 * page, PROT_READ);
    set_state(b.pages, known_block::frozen);
  }
}

guarded_memory::~guarded_memory() {
  for (const block &b : blocks_) {
    if (b.guarded) {
      set_state(b.pages, known_block::retired);
      bury(b.pages, b.length, true);
    } else if (b.length > (size_t{64} << 10)) {
      ::munmap(b.pages, b.length);
    } else {
      bury(b.pages, b.length, false);  // as freed memory mostly is: readable, and out of date
    }
  }
}

void watch_faults(shared_page &page) {
  words_to = &page;
  static std::array<char, 1 << 16> stack;
  const stack_t other{stack.data(), 0, stack.size()};
  ::sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGSEGV, &action, nullptr);
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace tenon::conformance
