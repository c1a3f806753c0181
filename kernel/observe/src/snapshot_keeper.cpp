// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "snapshot_keeper.hpp"

#include <algorithm>

namespace tenon::observe {
namespace {

constexpr int64_t share = 20;  // one part in so many
constexpr auto most_credit = std::chrono::milliseconds(100);
constexpr auto shared_for = std::chrono::milliseconds(20);  // even where there is credit for a new one
constexpr auto owed_for = std::chrono::seconds(2);          // where there is no credit
constexpr auto kept_for = std::chrono::seconds(30);
constexpr auto looks_for_stop = std::chrono::milliseconds(50);
constexpr size_t most_entries = 16;
constexpr size_t blocks_a_turn = 4'000;  // of the kernel's thread, at first: some milliseconds

int64_t now_unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

snapshot_keeper::snapshot_keeper(kernel_access &to)
    : access_(to), started_ms_(now_unix_ms()), credit_(most_credit), credited_(clock::now()) {}

const snapshot_keeper::entry *snapshot_keeper::covering(uint32_t wanted, std::string_view partition) const {
  const entry *best = nullptr;
  for (const entry &e : entries_) {
    if ((e.view->view.wanted & wanted) != wanted || (!e.partition.empty() && e.partition != partition)) continue;
    if (best == nullptr || best->made < e.made) best = &e;
  }
  return best;
}

snapshot_keeper::clock::duration snapshot_keeper::until_credit(clock::time_point now) {
  credit_ = std::min<clock::duration>(most_credit, credit_ + (now - credited_) / share);
  credited_ = now;
  return credit_ >= clock::duration::zero() ? clock::duration::zero() : -credit_ * share;
}

void snapshot_keeper::spend(clock::duration cost) {
  credit_ -= cost;
  counters_.spent_ns += static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(cost).count());
}

std::shared_ptr<const kernel_view> snapshot_keeper::get(uint32_t wanted, std::string_view partition,
                                                        clock::time_point until) {
  std::unique_lock lock(mutex_);
  for (;;) {
    const clock::time_point now = clock::now();
    const clock::duration pause = until_credit(now);
    if (const entry *e = covering(wanted, partition); e != nullptr) {
      const bool fresh = !e->outdated && now - e->made < shared_for;
      // One of long ago may not know what a reader has seen since in another one.
      const bool will_do = now - e->ready < owed_for && (making_ || pause > clock::duration::zero());
      if (fresh || will_do || now >= until) {
        if (!e->outdated || now >= until) {
          ++counters_.shared;
          return e->view;
        }
      }
    }
    if (now >= until) return nullptr;
    if (making_) {
      turn_.wait_until(lock, until);
      continue;
    }
    if (pause > clock::duration::zero()) {
      turn_.wait_until(lock, std::min(until, now + pause));
      continue;
    }
    making_ = true;
    lock.unlock();
    auto made = make(wanted, partition);
    lock.lock();
    making_ = false;
    turn_.notify_all();
    return made;
  }
}

std::shared_ptr<const kernel_view> snapshot_keeper::make(uint32_t wanted, std::string_view partition) {
  std::shared_ptr<const frozen_state> frozen;
  clock::duration cost{};
  uint64_t bytes = 0;
  const snapshot_part parts = wish_of(wanted);
  const clock::time_point asked = clock::now();
  size_t at_once = blocks_a_turn, left_before = SIZE_MAX;
  while (frozen == nullptr) {
    const bool ran = access_.call([&](kernel &k, const kernel_access::applier &) {
      const auto before = clock::now();
      const auto only = partition.empty() ? std::nullopt : std::optional(k.find_partition(partition));
      const size_t left = k.freeze_some(0, parts, only);
      // Decisions make blocks stale meanwhile: turns that do not gain on them grow, so that there is a last one.
      if (left > left_before - left_before / 16) at_once *= 2;
      left_before = left;
      if (left <= at_once) {
        frozen = k.freeze(parts, only);
        bytes = k.frozen_bytes();
      } else {
        k.freeze_some(at_once, parts, only);
      }
      cost += clock::now() - before;
    });
    if (!ran) return nullptr;
  }
  uint64_t moment = 0;
  {
    const std::lock_guard lock(mutex_);
    spend(cost);
    ++counters_.made;
    counters_.bytes = bytes;
    moment = next_moment_++;
  }
  auto view = make_view(frozen->plain(parts), access_.rms(), access_.policy_groups(), wanted, moment, started_ms_);
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const entry &e) {
    const bool replaced =
        (wanted & e.view->view.wanted) == e.view->view.wanted && (partition.empty() || e.partition == partition);
    return replaced || asked - e.made > kept_for;
  });
  if (entries_.size() >= most_entries) entries_.erase(entries_.begin());
  entries_.push_back({view, std::string(partition), asked, clock::now()});
  return view;
}

void snapshot_keeper::outdate() {
  const std::lock_guard lock(mutex_);
  for (entry &e : entries_) e.outdated = true;
}

bool snapshot_keeper::run(const std::function<void(kernel &)> &work, clock::time_point until,
                          const std::atomic<bool> *stops) {
  std::unique_lock lock(mutex_);
  for (;;) {
    const clock::time_point now = clock::now();
    const clock::duration pause = until_credit(now);
    if (pause <= clock::duration::zero()) break;
    if (now >= until || (stops != nullptr && *stops)) return false;
    turn_.wait_until(lock, std::min({until, now + pause, now + looks_for_stop}));
  }
  lock.unlock();
  clock::duration cost{};
  const bool ran = access_.call([&](kernel &k, const kernel_access::applier &) {
    const auto before = clock::now();
    work(k);
    cost = clock::now() - before;
  });
  lock.lock();
  spend(cost);
  return ran;
}

snapshot_keeper::figures snapshot_keeper::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

}  // namespace tenon::observe
