// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A thread that looks at calls of one host's modules, and says which of them do not return.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "calls/call_place.hpp"
#include "tenon/host/long_call.hpp"

namespace spdlog {
class logger;
}

namespace tenon::host {

// Beyond it a call is told to whoever asked for that; 0: never. While the scheduler runs, calls of the project's own
// modules are not, nor calls into processes, which have deadlines. While it stops, all calls are, and the time counts
// from when the limits were set: the stop takes that long, not each call.
struct call_limits {
  std::chrono::milliseconds cycle{0}, elsewhere{0};
  bool of_all = false;
};

class call_watch {
 public:
  using handler = std::function<void(const long_call &)>;

  // `beyond_limit` is called on the watching thread, once for each call.
  call_watch(uint64_t host, std::shared_ptr<spdlog::logger> log, const call_limits &limits, handler beyond_limit);
  ~call_watch();
  call_watch(const call_watch &) = delete;
  call_watch &operator=(const call_watch &) = delete;

  // From any thread. None waits for a call.
  [[nodiscard]] std::vector<long_call> long_calls() const;
  // Whether one of them is on a thread with role cycle.
  [[nodiscard]] bool cycle_is_held_up() const { return cycle_is_held_up_; }
  void limit(const call_limits &limits);

 private:
  using clock = std::chrono::steady_clock;

  struct followed {
    uint64_t number = 0;
    std::chrono::milliseconds lasts{0};
    bool told = false, ended = false;
  };

  void run();
  void look(std::chrono::milliseconds since_last);
  void tell(const long_call &what, followed &of);

  const uint64_t host_;
  const std::shared_ptr<spdlog::logger> log_;
  const handler beyond_limit_;
  std::map<const call_place *, followed> followed_;  // the thread's own

  mutable std::mutex mutex_;  // of what follows
  call_limits limits_;
  std::chrono::milliseconds limited_for_{0};
  std::vector<long_call> long_calls_;
  std::condition_variable wake_;
  bool ends_ = false;

  std::atomic<bool> cycle_is_held_up_{false};
  std::thread thread_;
};

}  // namespace tenon::host
