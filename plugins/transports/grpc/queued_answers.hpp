// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Answers that wait for one RM's streams, as serialised responses, and what is known of their arrival.
#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "methods.hpp"
#include "tenon/abi/transport.h"

namespace tenon::grpc_transport {

// One call of deliver, until all its answers are written.
struct delivery {
  std::string partition;
  uint64_t last = 0;  // number of its last answer
  size_t frames = 0;  // that have some of its answers and are not written yet
};

using acknowledged = std::vector<std::pair<std::string, uint64_t>>;  // partition, number of an answer

// One response.
struct frame {
  std::string bytes;
  int rank = 0;  // of its last answer: a response tells its answers by kind, not by time
  uint64_t generation = 0;
  std::vector<std::shared_ptr<delivery>> of;
  size_t size = 0;      // of the bytes, once they are on their way
  acknowledged checks;  // the number of its last one
};

// Not thread safe: its session's lock guards it.
class answers {
 public:
  using clock = std::chrono::steady_clock;

  struct limits {
    size_t queue_bytes;           // of each method
    size_t settle_bytes;          // what was written before the last so many bytes has arrived
    clock::duration settle_time;  // what was written so long ago has, too: the connection was asked since
  };
  explicit answers(const limits &with) : limits_(with) {}

  // Takes answers while there is room; returns how many. `skipped` counts those that the dialect cannot say, or that
  // nobody hears.
  using open_methods = std::array<bool, method_count>;
  uint64_t take(wire::dialect spoken, const open_methods &open, const tenon_transport_deliver_in &in,
                uint64_t &skipped);

  // The next response of a method, which is being written from now on.
  bool next(size_t method, frame &out);
  [[nodiscard]] bool waiting(size_t method) const { return !queues_[method].waiting.empty(); }

  void written(size_t method, const frame &done);

  // Whether something was taken that may not have arrived.
  [[nodiscard]] bool unsettled() const { return !settling_.empty() || !deliveries_.empty(); }

  // What has arrived since the last call.
  acknowledged arrived(clock::time_point now);

  // Forgets all: the host delivers again what was not acknowledged.
  void clear();

 private:
  struct queue {
    std::deque<frame> waiting;
    size_t bytes = 0;  // with those that are being written
  };
  struct settling {
    std::string partition;
    uint64_t number;
    uint64_t mark;  // bytes written up to it
    clock::time_point at;
  };

  bool append(place at, const tenon_rm_message *message, const std::shared_ptr<delivery> &of, uint64_t number);

  limits limits_;
  std::array<queue, method_count> queues_;
  std::map<std::string, std::deque<std::shared_ptr<delivery>>, std::less<>> deliveries_;
  std::deque<settling> settling_;
  uint64_t written_bytes_ = 0;
  uint64_t generation_ = 0;  // one more at each clear
};

}  // namespace tenon::grpc_transport
