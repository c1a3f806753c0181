// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The server's completion queue and the thread that waits on it. One thread: all that wait for gRPC in a process take
// turns at watching the sockets, and with more than one each request would cost a switch of threads.
#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace tenon::grpc_transport {

class queue {
 public:
  explicit queue(std::unique_ptr<grpc::ServerCompletionQueue> of) : queue_(std::move(of)) {}
  ~queue() { stop(); }
  queue(const queue &) = delete;
  queue &operator=(const queue &) = delete;

  grpc::ServerCompletionQueue &operator*() { return *queue_; }

  // Its server has been started.
  void start();

  // Its server has been shut down. Waits until no call is left.
  void stop();

  // A call, or the wish for one, is there or has gone.
  void came();
  void went();

 private:
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t calls_ = 0;
};

}  // namespace tenon::grpc_transport
