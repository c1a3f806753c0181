// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Gives memory back to the system that was needed for a while: the allocator keeps it, in an arena for each few
// threads.
#pragma once

#include <cstddef>

namespace tenon::cli {

class spare_memory {
 public:
  // To be called now and then, by one thread at a time. Where there is much to give back, other threads may wait for
  // some milliseconds while they ask for memory.
  void look();

 private:
  size_t could_not_ = 0;  // bytes that were not given back the last time: parts of pages that are used
  // What could not be given back may be free later, as where a thread was at work in it. It is tried again after so
  // many looks. The number doubles while that gives nothing.
  unsigned patience_ = 0;
  unsigned looks_ = 0;
};

}  // namespace tenon::cli
