// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the tables of the host services work with.
#pragma once

#include <atomic>
#include <map>
#include <mutex>

#include "copy_worker.hpp"
#include "metrics.hpp"
#include "snapshot_keeper.hpp"
#include "tenon/abi/host_admin.h"
#include "tenon/abi/host_explain.h"
#include "tenon/abi/host_metrics.h"
#include "tenon/abi/host_read.h"
#include "tenon/observe/health_checks.hpp"
#include "tenon/observe/observe_services.hpp"
#include "tenon/observe/operations.hpp"

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

struct metrics_view;

struct services::impl {
  impl(kernel_access &d, host::module_host &m, std::chrono::milliseconds memory, uint64_t most_objects)
      : to(d),
        modules(m),
        keeper(d),
        health(d, m, keeper, memory),
        metrics(d, m, keeper, health),
        admin(d, m, keeper, most_objects),
        copies(d, m, keeper, most_objects),
        most_copied(most_objects) {}

  what_if_said what_if(const boost::json::object &question, std::string_view user, std::chrono::milliseconds within,
                       what_if_cost cost = what_if_cost::in_turn);
  // `unmeant`: of a partition that is none, or one of several.
  bool explain(std::string_view partition, std::string_view application, std::string_view key,
               snapshot_keeper::clock::time_point until, std::optional<explanation> &out, refusal &unmeant);

  kernel_access &to;
  host::module_host &modules;
  snapshot_keeper keeper;
  health_checks health;
  metrics_maker metrics;
  administration admin;
  handles<kernel_view> views;
  copy_worker copies;
  const uint64_t most_copied;
  handles<void> explanations;  // and answers to what-if questions
  handles<metrics_view> readings;
};

[[nodiscard]] const tenon_host_read &read_table();
[[nodiscard]] const tenon_host_explain &explain_table();
// Why nothing is placed for the RM of the partition, as a line before an answer; empty: that is not so.
[[nodiscard]] std::string held_up_in(const std::vector<rm_record> &rms, const std::string &partition);
// A slot of it.
tenon_status what_if_of(const tenon_host *host, const tenon_what_if_in *in, tenon_what_if_out *out);
[[nodiscard]] const tenon_host_metrics &metrics_table();
[[nodiscard]] const tenon_host_admin &admin_table();

// Writes a text where a caller wants it.
void say(tenon_message *to, std::string_view text);
[[nodiscard]] inline std::string_view view_of(const tenon_text &t) {
  return t.data == nullptr ? std::string_view{} : std::string_view(t.data, t.length);
}
[[nodiscard]] snapshot_keeper::clock::time_point deadline(uint32_t timeout_ms);

}  // namespace tenon::observe
