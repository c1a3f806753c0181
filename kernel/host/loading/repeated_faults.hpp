// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Keeps the log from saying the same of a module at every call: while its process is replaced, or while it is in
// quarantine.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace tenon::host {

class repeated_faults {
 public:
  // How many like it were not told since the last one that was. Nothing: it is not to be told either. From any thread.
  std::optional<uint64_t> tell(const std::string &fault) {
    const std::scoped_lock lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (told_.size() >= most_kept && !told_.contains(fault)) told_.clear();
    const auto [known, is_new] = told_.try_emplace(fault, told{now, 0});
    told &last = known->second;
    if (!is_new && now - last.at < quiet_for) {
      ++last.untold;
      return std::nullopt;
    }
    last.at = now;
    return std::exchange(last.untold, 0);
  }

 private:
  static constexpr std::chrono::seconds quiet_for{10};
  static constexpr size_t most_kept = 32;

  struct told {
    std::chrono::steady_clock::time_point at;
    uint64_t untold;
  };

  std::mutex mutex_;
  std::map<std::string, told> told_;  // by what it says
};

}  // namespace tenon::host
