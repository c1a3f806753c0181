// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "counted.hpp"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else  // built without it: nothing is ever counted
#define RUNNING_ON_VALGRIND 0
#define CALLGRIND_START_INSTRUMENTATION static_cast<void>(0)
#define CALLGRIND_STOP_INSTRUMENTATION static_cast<void>(0)
#define CALLGRIND_ZERO_STATS static_cast<void>(0)
#define CALLGRIND_DUMP_STATS_AT(name) static_cast<void>(name)
#endif

#include <string>

#include "cluster.hpp"

namespace tenon::bench {

bool counting() { return RUNNING_ON_VALGRIND != 0; }

counted::counted(const char *name) : name_(name) {
  if (!counting()) return;
  heap_before_ = heap_bytes();
  // Cases prepare their cluster uncounted, which is much faster; every stretch begins with empty caches.
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
}

void counted::done(figures &out, double units) {
  if (!counting()) return;
  CALLGRIND_DUMP_STATS_AT(name_);
  CALLGRIND_STOP_INSTRUMENTATION;
  const std::string stretch = std::string("count/") + name_;
  out[stretch + "/units"] = units;
  out[stretch + "/heap_bytes"] = heap_bytes() - heap_before_;
}

}  // namespace tenon::bench
