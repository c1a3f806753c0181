// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "queue.hpp"

#include <pthread.h>

#include "call.hpp"

namespace tenon::grpc_transport {

void queue::start() {
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "tenon-grpc");
    void *tag = nullptr;
    bool ok = false;
    while (queue_->Next(&tag, &ok)) static_cast<event *>(tag)->happened(ok);
  });
}

void queue::stop() {
  if (queue_ == nullptr) return;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return calls_ == 0; });
  }
  queue_->Shutdown();
  if (thread_.joinable()) thread_.join();
  void *tag = nullptr;
  bool ok = false;
  while (queue_->Next(&tag, &ok)) continue;
  queue_.reset();
}

void queue::came() {
  const std::lock_guard lock(mutex_);
  ++calls_;
}

void queue::went() {
  const std::lock_guard lock(mutex_);
  --calls_;
  changed_.notify_all();
}

}  // namespace tenon::grpc_transport
