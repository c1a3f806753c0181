// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What each client address has open and how fast it asks.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "settings.hpp"

namespace tenon::rest {

// From any thread.
class clients {
 public:
  using clock = std::chrono::steady_clock;

  explicit clients(const settings &limits) : limits_(limits) {}

  [[nodiscard]] bool connect(const std::string &address);
  void disconnect(const std::string &address);
  [[nodiscard]] bool begin_stream(const std::string &address);
  void end_stream(const std::string &address);
  // One request more; false: too fast.
  [[nodiscard]] bool ask(const std::string &address, clock::time_point now);

 private:
  struct client {
    uint64_t connections = 0, streams = 0;
    double tokens = 0;
    clock::time_point filled{};
  };

  const settings &limits_;
  std::mutex mutex_;
  std::map<std::string, client> clients_;
  uint64_t connections_ = 0, streams_ = 0;
};

}  // namespace tenon::rest
