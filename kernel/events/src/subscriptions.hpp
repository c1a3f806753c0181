// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Those who follow what happens: each with a bounded queue of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "tenon/abi/host_events.h"
#include "tenon/events/record_batch.hpp"

namespace tenon::events {

class subscriptions {
 public:
  struct followed {  // a record and what keeps its texts
    shared_batch owner;
    const tenon_event_record *record;
  };
  struct subscriber {
    uint32_t types = 0;
    uint64_t capacity = 0, history = 0, lost = 0;
    uint64_t first_live = 0;  // records from this id on come by themselves
    void (*wake)(void *) = nullptr;
    void *waker = nullptr;
    std::deque<followed> waiting;
    bool ended = false;
    std::condition_variable more;
  };
  using handle = std::shared_ptr<subscriber>;

  explicit subscriptions(size_t most) : most_(most) {}

  // By the event thread: what was published last.
  void publish(const shared_batch &batch);
  // 0: there are too many.
  tenon_event_subscription add(const tenon_events_subscribe_in &in);
  bool remove(tenon_event_subscription id);
  // Nothing: there is none.
  [[nodiscard]] handle find(tenon_event_subscription id) const;
  // The next records, waiting for a first one; `lost` as of now. False: ended.
  bool take(subscriber &from, uint64_t limit, std::chrono::milliseconds wait, std::deque<followed> &out,
            uint64_t &lost);
  // Nobody gets anything any more.
  void end();

  [[nodiscard]] uint64_t count() const;
  [[nodiscard]] uint64_t lost() const;
  [[nodiscard]] uint64_t published() const;  // the last id

 private:
  const size_t most_;
  mutable std::mutex mutex_;
  std::map<tenon_event_subscription, handle> open_;
  tenon_event_subscription next_ = 1;
  uint64_t published_ = 0, lost_ = 0;
  bool ended_ = false;
};

}  // namespace tenon::events
