// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "growth.hpp"

#include <dirent.h>
#include <malloc.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "check.hpp"
#include "subject.hpp"

namespace tenon::conformance {
namespace {

size_t entries_of(const char *folder) {
  DIR *dir = ::opendir(folder);
  if (dir == nullptr) return 0;
  size_t count = 0;
  while (::readdir(dir) != nullptr) ++count;
  ::closedir(dir);
  return count;
}

size_t heap_bytes() {
  const struct mallinfo2 now = ::mallinfo2();
  return now.uordblks + now.hblkhd;
}

}  // namespace

size_t threads_now() { return entries_of("/proc/self/task"); }
size_t open_files() { return entries_of("/proc/self/fd"); }

size_t threads_left(size_t wanted) {
  for (int tries = 0; threads_now() > wanted && tries < 100; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return threads_now();
}

void no_growth(const char *what, int rounds, const std::function<void()> &round) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  probe::skip("a sanitizer counts memory");
#endif
  constexpr int windows = 4;
  const size_t threads_before = threads_now();
  for (int i = 0; i < rounds; ++i) round();
  const size_t threads = threads_left(threads_before);
  std::array<size_t, windows + 1> heap{}, files{};
  for (int w = 0; w <= windows; ++w) {
    (void)threads_left(threads);  // one that is ending still has memory
    heap[static_cast<size_t>(w)] = heap_bytes();
    files[static_cast<size_t>(w)] = open_files();
    for (int i = 0; i < rounds && w < windows; ++i) round();
  }
  // The smallest block there is has 32 bytes; half of that each time, in every window. What is kept once, as by a
  // thread of a library that starts late, makes one window grow.
  const size_t least = static_cast<size_t>(rounds) * 16;
  bool grows = true, opens = true;
  for (size_t w = 0; w < windows; ++w) {
    grows = grows && heap[w + 1] >= heap[w] + least;
    opens = opens && files[w + 1] > files[w];
  }
  if (grows)
    probe::fail(std::string(what) + " keeps " +
                number((heap[windows] - heap[0]) / (windows * static_cast<size_t>(rounds))) + " bytes each time");
  if (opens) probe::fail(std::string(what) + " leaves files open each time");
}

}  // namespace tenon::conformance
