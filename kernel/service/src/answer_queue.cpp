// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "answer_queue.hpp"

#include <algorithm>

namespace tenon::service {

answer_queue::~answer_queue() {
  for (auto &chunk : kept_) chunks_.give(std::move(chunk));
}

arena &answer_queue::memory() {
  if (open_ == nullptr) {
    auto fresh = chunks_.take();
    fresh->first_number = written_ + 1;
    open_ = fresh.get();
    const std::lock_guard lock(mutex_);
    kept_.push_back(std::move(fresh));
  }
  return open_->memory;
}

void answer_queue::add(const tenon_rm_message &message) {
  open_->messages[open_->count++] = &message;
  ++written_;
  if (open_->count == answer_chunk::capacity) open_ = nullptr;
}

void answer_queue::publish() {
  const std::lock_guard lock(mutex_);
  published_ = written_;
}

answer_queue::part answer_queue::begin_part() {
  const std::lock_guard lock(mutex_);
  if (delivered_ >= published_) return {};
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const auto &chunk) {
    return delivered_ + 1 < chunk->first_number + answer_chunk::capacity;
  });
  const answer_chunk &chunk = **found;
  const uint64_t first = delivered_ + 1;
  const size_t from = first - chunk.first_number;
  const size_t until = std::min<uint64_t>(published_ + 1 - chunk.first_number, answer_chunk::capacity);
  reading_ = true;
  return {first, rewinds_, {chunk.messages.data() + from, until - from}};
}

void answer_queue::end_part(const part &done, uint64_t taken) {
  const std::lock_guard lock(mutex_);
  reading_ = false;
  if (done.rewinds == rewinds_) delivered_ = done.first_number + taken - 1;
  delivered_ = std::max(delivered_, acknowledged_);
  trim();
}

bool answer_queue::note_sent(uint64_t number) {
  uint64_t before = sent_;
  while (before < number && !sent_.compare_exchange_weak(before, number)) continue;
  return before < number;
}

void answer_queue::acknowledge(uint64_t number) {
  const std::lock_guard lock(mutex_);
  acknowledged_ = std::max(acknowledged_, std::min(number, published_));
  if (!reading_) delivered_ = std::max(delivered_, acknowledged_);
  trim();
}

void answer_queue::rewind() {
  const std::lock_guard lock(mutex_);
  delivered_ = acknowledged_;
  ++rewinds_;
}

uint64_t answer_queue::waiting() const {
  const std::lock_guard lock(mutex_);
  return published_ - acknowledged_;
}

uint64_t answer_queue::acknowledged() const {
  const std::lock_guard lock(mutex_);
  return acknowledged_;
}

bool answer_queue::has_undelivered() const {
  const std::lock_guard lock(mutex_);
  return delivered_ < published_;
}

// Chunks that nobody reads or writes any more. The open one stays until it is full.
void answer_queue::trim() {
  if (reading_) return;
  size_t done = 0;
  while (done < kept_.size() && kept_[done]->first_number + answer_chunk::capacity - 1 <= acknowledged_)
    chunks_.give(std::move(kept_[done++]));
  kept_.erase(kept_.begin(), kept_.begin() + static_cast<ptrdiff_t>(done));
}

}  // namespace tenon::service
