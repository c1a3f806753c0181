// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A thread for calls that may wait, so that no thread of the server does.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace tenon::grpc_transport {

class worker {
 public:
  // Without period, `regularly` is never called.
  explicit worker(std::chrono::milliseconds period = {}, std::function<void()> regularly = {});
  ~worker();
  worker(const worker &) = delete;
  worker &operator=(const worker &) = delete;

  // Tasks run one after the other; all that were posted run before the destructor returns.
  void post(std::function<void()> task);

 private:
  void run(std::chrono::milliseconds period, const std::function<void()> &regularly);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace tenon::grpc_transport
