// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Releases that an RM was told of and has to confirm, in one partition: which of them it leaves for too long.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tenon::service {

class release_watch {
 public:
  void told(uint64_t sequence, std::string_view application, std::string_view key, int64_t now_ms) {
    const auto [at, fresh] = by_name_.try_emplace({std::string(application), std::string(key), sequence}, false);
    if (!fresh) return;
    by_sequence_.emplace(sequence, at);
    in_time_.emplace_back(now_ms, sequence);
  }

  void confirmed(uint64_t sequence) {
    if (const auto found = by_sequence_.find(sequence); found != by_sequence_.end()) forget(found->second);
  }
  // All of the key, or of the application, or all; an empty name is any.
  void confirmed(std::string_view application, std::string_view key) {
    std::string owner(application);
    if (owner.empty() && !key.empty()) owner = "@independent/" + std::string(key);
    for (auto at = by_name_.lower_bound({owner, std::string(key), 0}); at != by_name_.end();) {
      const auto &[its_application, its_key, sequence] = at->first;
      if (!owner.empty() && its_application != owner) return;
      if (!key.empty() && its_key != key) return;
      forget(at++);
    }
  }

  // Each that was told of before then and was not given yet.
  template <class Take>
  void take_late(int64_t before_ms, Take &&take) {
    for (; !in_time_.empty() && in_time_.front().first <= before_ms; in_time_.pop_front()) {
      const auto found = by_sequence_.find(in_time_.front().second);
      if (found == by_sequence_.end() || std::exchange(found->second->second, true)) continue;
      ++late_;
      take(std::get<0>(found->second->first), std::get<1>(found->second->first));
    }
  }
  [[nodiscard]] uint64_t late() const { return late_; }  // that were given and are not confirmed

 private:
  using names = std::map<std::tuple<std::string, std::string, uint64_t>, bool>;  // application, key, sequence: late

  void forget(names::iterator at) {
    if (at->second) --late_;
    by_sequence_.erase(std::get<2>(at->first));
    by_name_.erase(at);
  }

  names by_name_;
  std::unordered_map<uint64_t, names::iterator> by_sequence_;
  std::deque<std::pair<int64_t, uint64_t>> in_time_;  // when it was told of, sequence; the oldest first
  uint64_t late_ = 0;
};

}  // namespace tenon::service
