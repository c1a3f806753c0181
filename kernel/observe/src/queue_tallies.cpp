// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "queue_tallies.hpp"

#include <algorithm>

#include "tenon/kernel/asked_time.hpp"

namespace tenon::observe {

void waiting_histogram::add(double seconds) {
  const auto at = std::lower_bound(bounds.begin(), bounds.end(), seconds);
  if (at != bounds.end()) ++in[static_cast<size_t>(at - bounds.begin())];
  ++count;
  sum += seconds;
}

queue_tally &queue_tallies::of(const decision_view &d) {
  if (const auto found = queues_.find(d); found != queues_.end()) return found->second;
  if (queues_.size() >= most_queues) return queues_[{}];
  return queues_[{std::string(d.partition), std::string(d.queue)}];
}

void queue_tallies::count(std::span<const decision_view> decisions) {
  const std::lock_guard lock(mutex_);
  std::string_view gang;  // what it lost comes one after the other
  for (const decision_view &d : decisions) {
    switch (d.kind()) {
      case decision_kind::allocated:
        if (d.placeholder || std::get<decided::allocated>(d.what).existing) break;
        of(d).waiting.add(static_cast<double>(std::max<int64_t>(0, d.now_ms - asked_ms(d))) / 1000);
        break;
      case decision_kind::reserved:
        ++of(d).reserved;
        break;
      case decision_kind::released:
      case decision_kind::ask_released: {
        if (*end_of(d) == termination::preempted_by_scheduler) ++of(d).preempted;
        const cause why = reason_of(d)->why;
        if (why != cause::gang_timeout && why != cause::gang_timeout_pending) break;
        if (d.application != gang) ++of(d).gang_timeouts;
        gang = d.application;
        break;
      }
      default:
        break;
    }
  }
}

void queue_tallies::forget_gone(const kernel &k) {
  const std::lock_guard lock(mutex_);
  if (queues_.size() < most_queues) return;
  std::erase_if(queues_, [&](const auto &one) {
    const std::string &partition = one.first.partition;
    return !partition.empty() && k.find_partition(partition) == partition_id::none;
  });
}

queue_tallies::by_queue queue_tallies::all() const {
  const std::lock_guard lock(mutex_);
  return queues_;
}

}  // namespace tenon::observe
