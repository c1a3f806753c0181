// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the tables of the host services work with.
#pragma once

#include <atomic>
#include <map>
#include <mutex>

#include "metrics.hpp"
#include "snapshot_keeper.hpp"
#include "tenon/abi/host_admin.h"
#include "tenon/abi/host_explain.h"
#include "tenon/abi/host_metrics.h"
#include "tenon/abi/host_read.h"
#include "tenon/observe/administration.hpp"
#include "tenon/observe/health.hpp"
#include "tenon/observe/services.hpp"

namespace tenon::observe {

// What was opened and not closed yet, by number.
template <class T>
class handles {
 public:
  static constexpr size_t most = 1024;

  // 0: too many are open.
  uint64_t keep(std::shared_ptr<const T> one) {
    const std::lock_guard lock(mutex_);
    if (open_.size() >= most) return 0;
    open_.emplace(++last_, std::move(one));
    return last_;
  }
  bool close(uint64_t id) {
    std::shared_ptr<const T> gone;  // goes outside of the lock
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(id);
    if (found == open_.end()) return false;
    gone = std::move(found->second);
    open_.erase(found);
    return true;
  }

 private:
  std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<const T>> open_;
  uint64_t last_ = 0;
};

struct explanation_view;
struct metrics_view;

struct services::impl {
  impl(kernel_access &d, host::module_host &m, std::chrono::milliseconds memory)
      : to(d), modules(m), keeper(d), health(d, m, keeper, memory), metrics(d, m, keeper, health), admin(d, keeper) {}

  kernel_access &to;
  host::module_host &modules;
  snapshot_keeper keeper;
  health_checks health;
  metrics_maker metrics;
  administration admin;
  handles<kernel_view> views;
  handles<explanation_view> explanations;
  handles<metrics_view> readings;
};

[[nodiscard]] const tenon_host_read &read_table();
[[nodiscard]] const tenon_host_explain &explain_table();
[[nodiscard]] const tenon_host_metrics &metrics_table();
[[nodiscard]] const tenon_host_admin &admin_table();

// Writes words where a caller wants them.
void say(tenon_message *to, std::string_view words);
[[nodiscard]] inline std::string_view view_of(const tenon_text &t) {
  return t.data == nullptr ? std::string_view{} : std::string_view(t.data, t.length);
}
[[nodiscard]] snapshot_keeper::clock::time_point deadline(uint32_t timeout_ms);

}  // namespace tenon::observe
