// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Releases that an RM was told of and has to confirm, in one partition: which of them it leaves for too long. Nothing
// is kept of a release that is confirmed.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tenon::service {

class release_watch {
 public:
  void told(uint64_t sequence, std::string_view application, std::string_view key, int64_t now_ms) {
    const auto [at, fresh] = by_sequence_.try_emplace(sequence);
    if (!fresh) return;
    at->second = in_time_.insert(in_time_.end(), {sequence, now_ms, std::string(application), std::string(key)});
  }

  void confirmed(uint64_t sequence) {
    const auto found = by_sequence_.find(sequence);
    if (found == by_sequence_.end()) return;
    (found->second->is_late ? late_ : in_time_).erase(found->second);
    by_sequence_.erase(found);
  }

  // Each that was told of at that time or earlier and was not given yet.
  template <class Take>
  void take_late(int64_t until_ms, Take &&take) {
    while (!in_time_.empty() && in_time_.front().told_ms <= until_ms) {
      late_.splice(late_.end(), in_time_, in_time_.begin());
      late_.back().is_late = true;
      take(late_.back().application, late_.back().key);
    }
  }
  [[nodiscard]] uint64_t late() const { return late_.size(); }  // that were given and are not confirmed

 private:
  struct release {
    uint64_t sequence = 0;
    int64_t told_ms = 0;
    std::string application, key;
    bool is_late = false;
  };
  using releases = std::list<release>;

  releases in_time_, late_;  // the oldest first
  std::unordered_map<uint64_t, releases::iterator> by_sequence_;
};

}  // namespace tenon::service
