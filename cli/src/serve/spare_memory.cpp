// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/spare_memory.hpp"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace tenon::cli {
namespace {

constexpr size_t worth_it = size_t{32} << 20;
constexpr unsigned least_patience = 8;
constexpr unsigned most_patience = 1'024;

// Bytes that the process has from the system and that nobody uses.
size_t spare() {
  std::ifstream file("/proc/self/statm");
  size_t all = 0, resident = 0, of_files = 0;
  if (!(file >> all >> resident >> of_files)) return 0;
  const size_t has = (resident - of_files) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const auto counted = mallinfo2();
  const size_t used = counted.uordblks + counted.hblkhd;
  return has > used ? has - used : 0;
}

}  // namespace

void spare_memory::look() {
  const size_t now = spare();
  could_not_ = std::min(could_not_, now);
  if (now < worth_it) return;
  if (now < could_not_ + worth_it && ++looks_ < patience_) return;
  malloc_trim(0);
  could_not_ = spare();
  looks_ = 0;
  patience_ = could_not_ + worth_it <= now ? least_patience : std::clamp(patience_ * 2, least_patience, most_patience);
}

}  // namespace tenon::cli
