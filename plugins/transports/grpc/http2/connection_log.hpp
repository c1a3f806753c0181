// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What is worth a line about connections, which clients can make as many as they like.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>

namespace tenon::grpc_transport {

// Ten lines a second at most, and how many were left out.
class connection_log {
 public:
  explicit connection_log(std::function<void(const std::string &line)> to) : to_(std::move(to)) {}
  ~connection_log();
  connection_log(const connection_log &) = delete;
  connection_log &operator=(const connection_log &) = delete;

  void say(const std::string &line);

 private:
  void say_what_was_left_out();

  const std::function<void(const std::string &line)> to_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point second_;
  size_t said_ = 0;
  size_t left_out_ = 0;
};

}  // namespace tenon::grpc_transport
