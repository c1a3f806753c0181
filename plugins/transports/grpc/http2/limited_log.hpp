// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A log of what clients cause, who could otherwise fill the disk.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

namespace tenon::grpc_transport {

// Writes at most ten lines a second, and how many it left out. Each line begins with the subject, such as "connection".
class limited_log {
 public:
  limited_log(std::string subject, std::function<void(const std::string &line)> to)
      : subject_(std::move(subject)), to_(std::move(to)) {}
  ~limited_log();
  limited_log(const limited_log &) = delete;
  limited_log &operator=(const limited_log &) = delete;

  void say(const std::string &line);

 private:
  void say_what_was_left_out();

  const std::string subject_;
  const std::function<void(const std::string &line)> to_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point second_;
  size_t said_ = 0;
  size_t left_out_ = 0;
};

}  // namespace tenon::grpc_transport
