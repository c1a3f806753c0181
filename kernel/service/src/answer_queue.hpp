// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Answers for one RM about one of its partitions, numbered from 1, kept until it has them.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "arena.hpp"
#include "pool.hpp"
#include "tenon/abi/rm_messages.h"

namespace tenon::service {

// A run of answers. Written by the cycle thread, read by the transport's up to where it was published.
struct answer_chunk {
  static constexpr size_t capacity = 256;
  arena memory;
  std::array<const tenon_rm_message *, capacity> messages;
  size_t count = 0;
  uint64_t first_number = 0;

  void reset() {
    memory.reset();
    count = 0;
  }
  [[nodiscard]] size_t held() const { return memory.held(); }
};

using chunk_pool = pool<answer_chunk>;

class answer_queue {
 public:
  answer_queue(std::string plain_name, chunk_pool &chunks) : name_(std::move(plain_name)), chunks_(chunks) {}
  ~answer_queue();
  answer_queue(const answer_queue &) = delete;
  answer_queue &operator=(const answer_queue &) = delete;

  [[nodiscard]] const std::string &name() const { return name_; }  // as the RM says it; empty: RM-wide

  // Cycle thread. `memory()` is where the next answer lives; publish() makes those that were added visible.
  [[nodiscard]] arena &memory();
  void add(const tenon_rm_message &message);
  void publish();
  [[nodiscard]] bool has_unpublished() const { return written_ != published_; }
  [[nodiscard]] uint64_t last_number() const { return written_; }

  // The transport's thread. Hands over what was not delivered yet, one chunk's part at a time. Ends when `take` takes
  // less than it was given, or when nothing is left. Gives the number taken in all.
  template <class Take>
  uint64_t deliver(Take &&take) {
    uint64_t taken_in_all = 0;
    for (;;) {
      const part next = begin_part();
      if (next.messages.empty()) return taken_in_all;
      const uint64_t taken = std::min<uint64_t>(take(next.first_number, next.messages), next.messages.size());
      end_part(next, taken);
      taken_in_all += taken;
      if (taken < next.messages.size()) return taken_in_all;
    }
  }

  // Any thread. Answers up to this one are on the RM's connection; false: it was known.
  bool note_sent(uint64_t number);
  [[nodiscard]] uint64_t sent() const { return sent_; }
  void acknowledge(uint64_t number);
  // What was not acknowledged is delivered again.
  void rewind();
  [[nodiscard]] uint64_t waiting() const;  // not acknowledged
  [[nodiscard]] uint64_t acknowledged() const;
  [[nodiscard]] bool has_undelivered() const;

 private:
  struct part {
    uint64_t first_number = 0, rewinds = 0;
    std::span<const tenon_rm_message *const> messages;
  };
  part begin_part();
  void end_part(const part &done, uint64_t taken);
  void trim();

  std::string name_;
  chunk_pool &chunks_;
  uint64_t written_ = 0;  // of the cycle thread alone
  answer_chunk *open_ = nullptr;

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<answer_chunk>> kept_;  // in order; the last is open
  uint64_t published_ = 0, delivered_ = 0, acknowledged_ = 0;
  uint64_t rewinds_ = 0;
  bool reading_ = false;

  std::atomic<uint64_t> sent_{0};
};

}  // namespace tenon::service
