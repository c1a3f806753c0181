// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "history.hpp"

#include <algorithm>

#include "flat.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::observe {
namespace {

constexpr int64_t minute_ms = 60'000;
constexpr int64_t note_every_ms = 5'000;
constexpr size_t most = 1440;

}  // namespace

void history::decided(const kernel &k, int64_t now_ms) {
  if (now_ms >= noted_ms_ && now_ms - noted_ms_ < note_every_ms) return;
  noted_ms_ = now_ms;
  minute now;
  for (const partition_snapshot &p : k.sums().partitions) {
    now.containers += static_cast<int64_t>(p.allocations);
    const auto running = p.application_states.find(application_state::running);
    if (running != p.application_states.end()) now.running += static_cast<int64_t>(running->second);
  }
  note(now, nullptr, now_ms);
}

void history::looked(const tenon_view &view, int64_t now_ms) {
  minute now;
  const auto *partitions = static_cast<const tenon_view_partition *>(view.partitions.first);
  for (uint64_t i = 0; i < view.partitions.count; ++i) {
    const tenon_view_partition &p = partitions[i];
    now.containers += static_cast<int64_t>(p.allocation_count);
    for (uint32_t s = 0; s < p.applications.count; ++s) {
      const tenon_text &state = p.applications.types[s];
      if (std::string_view(state.data, state.length) == name(application_state::running))
        now.running += p.applications.values[s];
    }
  }
  note(now, &now, now_ms);
}

void history::note(minute now, const minute *since, int64_t now_ms) {
  const std::lock_guard lock(mutex_);
  const int64_t here = now_ms / minute_ms;
  const minute before = minutes_.empty() ? now : minutes_.back();
  int64_t from = minutes_.empty() ? here : before.at_ms / minute_ms + 1;
  from = std::max(from, here - static_cast<int64_t>(most) + 1);
  const minute &meanwhile = since == nullptr ? before : *since;
  for (int64_t at = from; at < here; ++at)
    minutes_.push_back({at * minute_ms, meanwhile.running, meanwhile.containers});
  if (from <= here) minutes_.emplace_back();
  minutes_.back() = {here * minute_ms, now.running, now.containers};
  if (minutes_.size() > most) minutes_.erase(minutes_.begin(), minutes_.end() - static_cast<ptrdiff_t>(most));
}

std::vector<history::minute> history::all() const {
  const std::lock_guard lock(mutex_);
  return minutes_;
}

}  // namespace tenon::observe
