// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The processes of one module, for whoever asks from another thread what they use.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <vector>

#include "isolation/line_rate.hpp"
#include "tenon/host/process_usage.hpp"

namespace tenon::host::isolation {

class process_accounts {
 public:
  void open(pid_t process);
  // Before the process is collected: from then on its number may be another one's.
  void close(pid_t process);
  void add_waiting(std::chrono::nanoseconds time) {
    waited_ns_.fetch_add(static_cast<uint64_t>(time.count()), std::memory_order_relaxed);
  }

  // From any thread.
  [[nodiscard]] process_usage now() const;
  line_rate &lines() { return lines_; }

 private:
  mutable std::mutex mutex_;
  std::vector<pid_t> processes_;
  uint64_t ended_ns_ = 0;
  std::atomic<uint64_t> waited_ns_{0};
  line_rate lines_;
};

}  // namespace tenon::host::isolation
