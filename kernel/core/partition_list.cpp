// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "partition_list.hpp"

#include <algorithm>

namespace tenon::internal {
namespace {

bool made_before(const partition *one, const partition *other) { return one->handle() < other->handle(); }

}  // namespace

partition *partition_list::look_up(std::string_view full_name) const {
  const auto at = by_name_.find(full_name);
  return at == by_name_.end() ? nullptr : found_ = at->second;
}

partition *partition_list::look_up(partition_id id) const {
  const auto one = those(id);
  return one.empty() ? nullptr : found_ = one.front().get();
}

std::span<const partition_list::owned> partition_list::those(std::optional<partition_id> only) const {
  const std::span all(all_);
  if (!only) return all;
  const auto found =
      std::lower_bound(all.begin(), all.end(), *only, [](const owned &p, partition_id id) { return p->handle() < id; });
  const bool is_there = found != all.end() && (*found)->handle() == *only;
  return all.subspan(static_cast<size_t>(found - all.begin()), is_there ? 1 : 0);
}

void partition_list::add(owned newest) {
  by_name_.emplace(newest->full_name(), newest.get());
  all_.push_back(std::move(newest));
  touch(*all_.back());
}

void partition_list::forget_taken() {
  found_ = nullptr;
  std::erase(all_, nullptr);
  for (std::vector<partition *> *list : {&awake_, &touched_, &changed_, &read_}) {
    std::erase_if(*list, [&](const partition *p) { return those(p->handle()).empty(); });
  }
}

void partition_list::flush() {
  for (partition *p : changed_) {
    p->listed.changed = false;
    p->flush();
  }
  changed_.clear();
}

bool partition_list::has_work() const {
  return std::any_of(awake_.begin(), awake_.end(), [](const partition *p) { return p->has_work(); });
}

void partition_list::sort(std::vector<partition *> &list) {
  if (!std::is_sorted(list.begin(), list.end(), made_before)) std::sort(list.begin(), list.end(), made_before);
}

void partition_list::note_read(partition &p) { put_in(read_, p.listed.read, p); }

size_t partition_list::frozen_bytes() const {
  size_t out = 0;
  for (partition *p : read_) out += p->blocks().bytes();
  return out;
}

// Looks at a few partitions with every command, one after the other.
void partition_list::age_blocks() {
  for (size_t looks = std::min(read_.size(), looks_a_command); looks > 0; --looks) {
    if (next_look_ >= read_.size()) next_look_ = 0;
    partition *&p = read_[next_look_];
    p->blocks().age();
    if (!p->blocks().empty()) {
      ++next_look_;
      continue;
    }
    p->listed.read = false;
    p = read_.back();
    read_.pop_back();
  }
}

}  // namespace tenon::internal
