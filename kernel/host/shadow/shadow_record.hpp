// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What came of the calls of a shadow. All is from any thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "tenon/host/call_shadow.hpp"

namespace spdlog {
class logger;
}

namespace tenon::host {

class shadow_record {
 public:
  // `about` says who they are. Switches off after so many faults.
  shadow_record(call_shadow_status about, uint64_t most_faults, std::shared_ptr<spdlog::logger> log);

  // A new instance: it is switched on, with no fault yet.
  void start();
  [[nodiscard]] bool is_off() const { return off_.load(std::memory_order_relaxed); }
  // For good, until start().
  void switch_off(const std::string &why);

  void asked(uint64_t items, uint64_t spent_ns);
  void skipped() { skipped_.fetch_add(1, std::memory_order_relaxed); }
  void forgot() { forgotten_.fetch_add(1, std::memory_order_relaxed); }
  void fault(const std::string &why);

  // `make()` gives the difference; it is asked while there is room for one more.
  template <class Make>
  void differs(shadow_difference_kind kind, Make &&make) {
    differences_[static_cast<size_t>(kind)].fetch_add(1, std::memory_order_relaxed);
    if (is_full_.load(std::memory_order_relaxed)) return;
    shadow_difference one = make();
    one.kind = kind;
    keep(std::move(one));
  }

  [[nodiscard]] call_shadow_status status() const;

 private:
  void keep(shadow_difference one);

  const uint64_t most_faults_;
  const std::shared_ptr<spdlog::logger> log_;
  std::atomic<bool> off_{false}, is_full_{false};
  std::atomic<uint64_t> calls_{0}, items_{0}, skipped_{0}, faults_{0}, spent_ns_{0}, forgotten_{0};
  std::array<std::atomic<uint64_t>, shadow_difference_names.size()> differences_{};
  mutable std::mutex mutex_;  // of what follows
  call_shadow_status about_;  // with its texts and differences
  uint64_t faults_since_start_ = 0;
};

}  // namespace tenon::host
