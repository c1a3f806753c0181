// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Shares snapshots among all who read, and bounds what making them takes from scheduling.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_view.hpp"
#include "tenon/observe/kernel_access.hpp"

namespace tenon::observe {

// The kernel makes what changed alone, in turns of some milliseconds, and lists are put together here.
// Time on the kernel's thread is paid from a credit that grows with time: a twentieth of it, and a tenth of a second
// at most. Without credit, readers get a snapshot of before where there is one that has what they want, and wait
// otherwise. From any thread.
class snapshot_keeper {
 public:
  using clock = std::chrono::steady_clock;

  explicit snapshot_keeper(kernel_access &to);

  // Null: the scheduler stops, or there was none within the time.
  std::shared_ptr<const kernel_view> get(uint32_t wanted, std::string_view partition, clock::time_point until);

  // What was true is not any more: the next snapshot is a new one.
  void outdate();

  // Runs `work` on the kernel's thread on the same credit. False: it did not run, as where `stops` comes true while it
  // waits for credit.
  bool run(const std::function<void(kernel &)> &work, clock::time_point until,
           const std::atomic<bool> *stops = nullptr);

  struct figures {
    uint64_t made = 0, shared = 0, spent_ns = 0;
    uint64_t bytes = 0;  // of the blocks that the kernel keeps for them, as of the last one
  };
  [[nodiscard]] figures counters() const;

 private:
  struct entry {
    std::shared_ptr<const kernel_view> view;
    std::string partition;  // empty: all
    clock::time_point made{}, ready{};
    bool outdated = false;
  };

  [[nodiscard]] const entry *covering(uint32_t wanted, std::string_view partition) const;
  [[nodiscard]] clock::duration until_credit(clock::time_point now);
  void spend(clock::duration cost);
  std::shared_ptr<const kernel_view> make(uint32_t wanted, std::string_view partition);

  kernel_access &access_;
  const int64_t started_ms_;
  mutable std::mutex mutex_;
  std::condition_variable turn_;
  bool making_ = false;
  std::vector<entry> entries_;
  clock::duration credit_;
  clock::time_point credited_;
  uint64_t next_moment_ = 1;
  figures counters_;
};

}  // namespace tenon::observe
