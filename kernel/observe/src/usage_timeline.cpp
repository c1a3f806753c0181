// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "usage_timeline.hpp"

#include <algorithm>

#include "tenon/kernel/asked_time.hpp"

namespace tenon::observe {
namespace {

void add_counts(timeline::point &to, const timeline::point &from) {
  to.decisions += from.decisions;
  to.placed += from.placed;
  to.preempted += from.preempted;
  to.waited_seconds += from.waited_seconds;
  to.longest_seconds = std::max(to.longest_seconds, from.longest_seconds);
}

// The same moment, and the counts of both.
void lengthen(timeline::point &to, const timeline::point &by) {
  timeline::point out = by;
  add_counts(out, to);
  out.span_ms = to.span_ms + by.span_ms;
  to = out;
}

void learn_types(std::vector<std::string> &types, const amount_map &capacity) {
  const auto learn = [&](const std::string &type) {
    if (types.size() < timeline::most_types && std::find(types.begin(), types.end(), type) == types.end())
      types.push_back(type);
  };
  for (const std::string usual : {"vcore", "memory"})
    if (capacity.contains(usual)) learn(usual);
  for (const auto &[type, amount] : capacity) learn(type);
}

timeline::amounts in_order(const std::vector<std::string> &types, const amount_map &from) {
  timeline::amounts out{};
  for (size_t i = 0; i < types.size(); ++i) {
    if (const auto found = from.find(types[i]); found != from.end()) out[i] = found->second;
  }
  return out;
}

}  // namespace

timeline::kept *timeline::of(std::string_view partition) {
  if (const auto found = partitions_.find(partition); found != partitions_.end()) return &found->second;
  if (partitions_.size() >= most_partitions) return nullptr;
  return &partitions_[std::string(partition)];
}

void timeline::count(std::span<const decision_view> decisions) {
  const std::lock_guard lock(mutex_);
  std::string_view partition;  // most decisions of one turn are of one
  kept *to = nullptr;
  for (const decision_view &d : decisions) {
    if (d.partition.empty()) continue;
    if (to == nullptr || d.partition != partition) {
      partition = d.partition;
      to = of(partition);
      if (to == nullptr) continue;
    }
    point &now = to->counted;
    if (now.decisions == 0) to->first_ms = d.now_ms;
    ++now.decisions;
    const auto *placed = d.as<decided::allocated>();
    if (placed != nullptr && !d.placeholder && !placed->existing) {
      const double waited = static_cast<double>(std::max<int64_t>(0, d.now_ms - asked_ms(d))) / 1000;
      ++now.placed;
      now.waited_seconds += waited;
      now.longest_seconds = std::max(now.longest_seconds, waited);
    } else if (d.is(decision_kind::released) && *end_of(d) == termination::preempted_by_scheduler) {
      ++now.preempted;
      preemptions_.push_back({++preempted_, d.now_ms, std::string(d.partition), std::string(d.queue),
                              std::string(d.application), std::string(d.key), std::string(d.node), text_of(d)});
      if (preemptions_.size() > most_preemptions) preemptions_.pop_front();
    }
  }
}

void timeline::look_at(kept &to, const partition_snapshot &p, int64_t now_ms) {
  learn_types(to.types, p.capacity);
  point now = to.counted;
  to.counted = {};
  now.at_ms = now_ms;
  now.capacity = in_order(to.types, p.capacity);
  now.used = in_order(to.types, p.used);
  now.pending = in_order(to.types, p.pending);
  for (const application_state state : {application_state::new_, application_state::accepted}) {
    if (const auto in = p.application_states.find(state); in != p.application_states.end()) now.waiting += in->second;
  }
  const bool first = to.fine.empty();
  if (!first) {
    now.span_ms = std::max<int64_t>(0, now_ms - to.fine.back().at_ms);
  } else if (now.decisions != 0) {
    // Looks come that often, whatever the clock of the decisions says.
    now.span_ms = std::clamp(now_ms - to.first_ms, shortest_first_ms, fine_ms);
  }
  if (!first && to.fine.back().span_ms + now.span_ms <= fine_ms) {
    lengthen(to.fine.back(), now);
    return;
  }
  // The point before is done: it becomes a part of its minute.
  if (!first) {
    const point &done = to.fine.back();
    if (!to.minutes.empty() && to.minutes.back().at_ms / minute_ms == done.at_ms / minute_ms) {
      lengthen(to.minutes.back(), done);
    } else {
      to.minutes.push_back(done);
    }
    if (to.minutes.size() > most_minutes) to.minutes.pop_front();
  }
  to.fine.push_back(now);
  if (to.fine.size() > most_fine) to.fine.pop_front();
}

void timeline::look(const kernel_snapshot &all, int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  std::erase_if(partitions_, [&](const auto &one) {
    return std::none_of(all.partitions.begin(), all.partitions.end(),
                        [&](const partition_snapshot &p) { return p.name == one.first; });
  });
  for (const partition_snapshot &p : all.partitions) {
    if (kept *to = of(p.name); to != nullptr) look_at(*to, p, now_ms);
  }
}

std::vector<timeline::series> timeline::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<series> out;
  for (const auto &[name, one] : partitions_) {
    if (one.fine.empty()) continue;
    series now{name, one.types, {}};
    const int64_t fine_from = one.fine.front().at_ms - one.fine.front().span_ms;
    for (const point &p : one.minutes)
      if (p.at_ms <= fine_from && p.at_ms < one.fine.front().at_ms) now.points.push_back(p);
    now.points.insert(now.points.end(), one.fine.begin(), one.fine.end());
    out.push_back(std::move(now));
  }
  return out;
}

std::vector<timeline::preemption> timeline::preemptions() const {
  const std::lock_guard lock(mutex_);
  return {preemptions_.begin(), preemptions_.end()};
}

}  // namespace tenon::observe
