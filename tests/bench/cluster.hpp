// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A kernel in process with everything that a load needs, and stopwatches around it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "report.hpp"
#include "tenon/kernel/kernel.hpp"

namespace tenon::bench {

struct settings {
  int64_t nodes = 1'000, asks = 50'000, queues = 2, applications = 1;  // applications: of each queue
  int64_t shapes = 1, unplaceable = 0, seconds = 2;
  int64_t turns = 2'000;             // of churn and steady while they are counted
  int64_t batch = 100, streams = 1;  // of requests
  double rate = 0;                   // of grpc, in allocations a second
  bool real_time = false;            // priority of grpc
  std::string queue_sort = "fair", app_sort = "fifo", node_sort = "fair";
  std::string trace;      // NODES.csv,PODS.csv
  bool devices = false;   // asks share GPUs
  std::string operation;  // of growth
  bool linked_policies = false;
  std::vector<std::string> isolated;  // ids of modules
};

// Modules from their .so files, in this process or in processes of their own, or the same sources linked in.
[[nodiscard]] std::unique_ptr<policy_source> make_policies(const settings &s);

class stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - from_).count();
  }
  [[nodiscard]] double nanoseconds() const { return seconds() * 1e9; }

 private:
  std::chrono::steady_clock::time_point from_ = std::chrono::steady_clock::now();
};

// Keys as long as those that resource managers use: 36 letters. They are made before a stretch begins that is timed or
// counted, so that it has the scheduler's work in it and not theirs.
class ask_keys {
 public:
  ask_keys(int64_t count, std::string_view prefix);
  [[nodiscard]] int64_t count() const { return count_; }
  [[nodiscard]] std::string_view operator[](int64_t at) const {
    return std::string_view(letters_).substr(static_cast<size_t>(at) * length_, length_);
  }

 private:
  int64_t count_;
  size_t length_;
  std::string letters_;
};

// Bytes that the allocator has given out.
[[nodiscard]] double heap_bytes();

class cluster {
 public:
  static constexpr std::string_view partition_name = "[rm]default";

  // Registers one resource manager with `queues` leaf queues below root.
  cluster(policy_source &policies, const settings &s);

  void add_nodes(int64_t count, const amount_map &capacity, const std::string &gpu_devices = {});
  void add_applications();
  // Equal asks, dealt to the applications in turn.
  void ask(const ask_keys &keys, const std::vector<named_amount> &need);
  void ask_one(uint32_t application, std::string_view key, const std::vector<named_amount> &need);
  // Of the one task group of its application.
  void ask_in_gang(uint32_t application, const std::string &key, const std::vector<named_amount> &need,
                   bool placeholder);
  void give_back(uint32_t application, const std::string &key, termination why = termination::stopped_by_rm);
  // Steps of a thousand decisions until nothing is decided; every decision is delivered.
  void schedule();
  // Single decisions; the nanoseconds of each go to `latencies`.
  void schedule_singly(std::vector<uint32_t> &latencies);
  void deliver();

  [[nodiscard]] uint64_t allocated() const { return allocated_; }
  [[nodiscard]] kernel &scheduler() { return kernel_; }
  [[nodiscard]] size_t applications() const { return application_names_.size(); }
  [[nodiscard]] const std::string &application_name(size_t at) const { return application_names_[at]; }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> &placed() { return placed_; }
  bool keep_placed = false;  // remember (application, key) of what is allocated

 private:
  void run(const command &c) { kernel_.apply(now_ms_, c); }

  settings settings_;
  kernel kernel_;
  int64_t now_ms_ = 1;
  uint64_t allocated_ = 0;
  std::vector<std::string> application_names_;
  std::vector<std::pair<std::string, std::string>> placed_;
};

}  // namespace tenon::bench
