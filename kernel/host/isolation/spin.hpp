// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Waiting for the other side of a call without sleeping: a wake-up costs more than most calls take.
#pragma once

#include <sched.h>

#include <chrono>

namespace tenon::host::isolation {

// Longer than most calls, shorter than is worth a look in anybody's accounts.
inline constexpr std::chrono::microseconds spin_time{20};

inline void pause_processor() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Whether two processes of this one's can run at the same time.
inline bool may_spin() {
  cpu_set_t mine;
  return ::sched_getaffinity(0, sizeof mine, &mine) == 0 && CPU_COUNT(&mine) > 1;
}

// True once `ready()`, false when the time is over.
template <class Ready>
bool spin_until(Ready &&ready) {
  constexpr int turns = 32;
  const auto end = std::chrono::steady_clock::now() + spin_time;
  do {
    for (int i = 0; i < turns; ++i) {
      if (ready()) return true;
      pause_processor();
    }
  } while (std::chrono::steady_clock::now() < end);
  return ready();
}

}  // namespace tenon::host::isolation
