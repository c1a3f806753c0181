// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "subscriptions.hpp"

#include <algorithm>

namespace tenon::events {
namespace {

constexpr uint64_t usual_capacity = 1000;
constexpr uint64_t max_capacity = 1'000'000;

bool is_wanted(uint32_t types, const tenon_event_record &record) {
  return types == 0 || (types >> record.type & 1U) != 0;
}

}  // namespace

void subscriptions::publish(const shared_batch &batch) {
  const std::lock_guard lock(mutex_);  // also while waking: who has unsubscribed is not woken any more
  published_ = batch->records().back().last_id;
  for (const auto &[id, one] : open_) {
    const bool was_empty = one->waiting.empty();
    for (const tenon_event_record &record : batch->records()) {
      if (!is_wanted(one->types, record)) continue;
      if (one->waiting.size() < one->capacity) {
        one->waiting.push_back({batch, &record});
      } else {
        ++one->lost;
        ++lost_;
      }
    }
    if (!was_empty || one->waiting.empty()) continue;
    one->more.notify_all();
    if (one->wake != nullptr) one->wake(one->waker);
  }
}

tenon_event_subscription subscriptions::add(const tenon_events_subscribe_in &in) {
  const std::lock_guard lock(mutex_);
  if (ended_ || open_.size() >= most_) return 0;
  auto one = std::make_shared<subscriber>();
  one->types = in.types;
  one->capacity = std::min(in.room == 0 ? usual_capacity : in.room, max_capacity);
  one->history = in.history;
  one->first_live = published_ + 1;
  one->wake = in.wake;
  one->waker = in.waker;
  open_.emplace(next_, std::move(one));
  return next_++;
}

bool subscriptions::remove(tenon_event_subscription id) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(id);
  if (found == open_.end()) return false;
  found->second->ended = true;
  found->second->more.notify_all();
  open_.erase(found);
  return true;
}

subscriptions::handle subscriptions::find(tenon_event_subscription id) const {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(id);
  return found == open_.end() ? nullptr : found->second;
}

bool subscriptions::take(subscriber &from, uint64_t limit, std::chrono::milliseconds wait, std::deque<followed> &out,
                         uint64_t &lost) {
  std::unique_lock lock(mutex_);
  from.more.wait_for(lock, wait, [&] { return from.ended || !from.waiting.empty(); });
  while (out.size() < limit && !from.waiting.empty()) {
    out.push_back(std::move(from.waiting.front()));
    from.waiting.pop_front();
  }
  lost = from.lost;
  return !from.ended || !out.empty();
}

void subscriptions::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  for (const auto &[id, one] : open_) {
    one->ended = true;
    one->more.notify_all();
    if (one->wake != nullptr) one->wake(one->waker);
  }
}

uint64_t subscriptions::count() const {
  const std::lock_guard lock(mutex_);
  return open_.size();
}

uint64_t subscriptions::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

uint64_t subscriptions::published() const {
  const std::lock_guard lock(mutex_);
  return published_;
}

}  // namespace tenon::events
