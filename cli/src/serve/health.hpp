// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Whether the daemon does its work: a check each, with words. Never waits for the scheduler.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "serve/recording.hpp"
#include "tenon/service/scheduler.hpp"

namespace tenon::cli {

struct health_check {
  std::string name;
  bool healthy = true;
  std::string words;
};

// Asks the cycle thread now and then to say that it runs.
class heartbeat {
 public:
  explicit heartbeat(service::scheduler &of) : of_(of) {}
  void ask();
  // Since it last answered.
  [[nodiscard]] std::chrono::milliseconds age() const;

 private:
  service::scheduler &of_;
  struct beats {
    std::atomic<int64_t> heard_ms{0};
    std::atomic<bool> asked{false};  // and not answered
  };
  std::shared_ptr<beats> beats_ = std::make_shared<beats>();
};

// Beyond it the cycle thread is held up: by a module, or by the machine.
inline constexpr std::chrono::seconds slow_heart{5};

[[nodiscard]] std::vector<health_check> examine(service::scheduler &scheduler, const heartbeat &heart,
                                                const std::vector<const recording *> &recordings);

}  // namespace tenon::cli
