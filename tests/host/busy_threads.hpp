// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Threads that keep a processor busy beside a process.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/types.h>

#include <atomic>
#include <thread>
#include <vector>

namespace tenon::host::testing {

// Lets `process` run on one processor alone, and keeps that processor busy until this object is destroyed.
class busy_threads {
 public:
  busy_threads(int count, pid_t process) {
    const int processor = ::sched_getcpu();
    pin(process, processor);
    for (int i = 0; i < count; ++i)
      threads_.emplace_back([this, processor] {
        pin(0, processor);
        while (!ends_) continue;
      });
  }
  ~busy_threads() {
    ends_ = true;
    for (std::thread &one : threads_) one.join();
  }
  busy_threads(const busy_threads &) = delete;
  busy_threads &operator=(const busy_threads &) = delete;

 private:
  static void pin(pid_t thread, int processor) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    EXPECT_EQ(::sched_setaffinity(thread, sizeof one, &one), 0);
  }

  std::atomic<bool> ends_{false};
  std::vector<std::thread> threads_;
};

}  // namespace tenon::host::testing
