// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "worker.hpp"

#include <pthread.h>

#include <utility>

namespace tenon::grpc_transport {

worker::worker(std::chrono::milliseconds period, std::function<void()> regularly)
    : thread_([this, period, call = std::move(regularly)] { run(period, call); }) {}

worker::~worker() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void worker::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
}

void worker::run(std::chrono::milliseconds period, const std::function<void()> &regularly) {
  using clock = std::chrono::steady_clock;
  pthread_setname_np(pthread_self(), "tenon-grpc-wait");
  clock::time_point due = clock::now() + period;
  std::unique_lock lock(mutex_);
  const auto woken = [&] { return ends_ || !tasks_.empty(); };
  while (true) {
    if (period.count() == 0) {
      wake_.wait(lock, woken);
    } else if (!wake_.wait_until(lock, due, woken) || clock::now() >= due) {
      lock.unlock();
      regularly();
      due = clock::now() + period;
      lock.lock();
    }
    if (!tasks_.empty()) {
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    } else if (ends_) {
      return;
    }
  }
}

}  // namespace tenon::grpc_transport
