// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "growth.hpp"

#include <dirent.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

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

struct usage {
  size_t heap, files;
};

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
  const size_t threads_before = threads_now();
  for (int i = 0; i < rounds; ++i) round();
  const size_t threads = threads_left(threads_before);
  const auto windows_of = [&](size_t windows) {
    std::vector<usage> out;
    out.reserve(windows + 1);
    for (size_t w = 0; w <= windows; ++w) {
      (void)threads_left(threads);  // one that is ending still has memory
      out.push_back({heap_bytes(), open_files()});
      for (int i = 0; i < rounds && w < windows; ++i) round();
    }
    return out;
  };
  const auto grows = [&](const std::vector<usage> &all) {
    const auto less = [](const usage &x, const usage &y) { return x.heap < y.heap; };
    // The smallest block there is has 32 bytes.
    const size_t least = (all.size() - 1) * static_cast<size_t>(rounds) * 16;
    return std::is_sorted(all.begin(), all.end(), less) && all.back().heap >= all.front().heap + least;
  };
  std::vector<usage> seen = windows_of(4);
  const auto opens_none = [](const usage &x, const usage &y) { return y.files <= x.files; };
  if (std::adjacent_find(seen.begin(), seen.end(), opens_none) == seen.end())
    probe::fail(std::string(what) + " leaves files open each time");
  if (!grows(seen)) return;
  // Once more, twice as long: what was kept only once, as by a thread of a library that starts late, has been kept
  // then. A list that doubles its room now and then grows again.
  seen = windows_of(8);
  if (!grows(seen)) return;
  const size_t kept = seen.back().heap - seen.front().heap;
  probe::fail(std::string(what) + " keeps " + number(kept / ((seen.size() - 1) * static_cast<size_t>(rounds))) +
              " bytes each time");
}

}  // namespace tenon::conformance
