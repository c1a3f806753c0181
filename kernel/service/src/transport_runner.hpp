// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One instance of a transport at work: its thread, answers out to it, its faults.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "rm_session.hpp"
#include "tenon/abi/transport.h"
#include "tenon/host/io_module.hpp"
#include "tenon/service/scheduler.hpp"

namespace tenon::service {

struct runner_options {
  uint64_t handle = 0;  // names it to tenon.host.rm
  std::string name;
  int64_t drain_ms = 0;
  bool threaded = true;  // else pump() is called by whoever steps
  std::function<void(const std::string &)> log;
  std::function<void(rm_session &)> on_lost;  // its transport is at fault: nobody speaks for it any more
  std::atomic<uint64_t> *delivered = nullptr;
};

class transport_runner {
 public:
  // Bound by the host, or linked in: then `policy` is null.
  transport_runner(runner_options options, const session_table &sessions, std::unique_ptr<host::bound_module> policy,
                   const tenon_transport_v1 *table, tenon_instance *instance);
  ~transport_runner();
  transport_runner(const transport_runner &) = delete;
  transport_runner &operator=(const transport_runner &) = delete;

  [[nodiscard]] uint64_t handle() const { return options_.handle; }
  [[nodiscard]] const std::string &name() const { return options_.name; }

  // Starts it; the text of a refusal.
  [[nodiscard]] std::optional<std::string> start();
  // Ends its thread; what is there goes out first, as long as the transport takes it.
  void drain();
  void stop();
  // There is something to deliver, or a session ended.
  void notify();
  void tell_ended(uint64_t session, uint32_t why);
  // Delivers what there is, here. Manual mode.
  void pump();

  // Cycle thread: the RM's answer to a check. False where it is not asked.
  [[nodiscard]] bool can_check() const { return has_check_; }
  [[nodiscard]] bool check(const rm_session &of, std::string_view partition, std::string_view application,
                           std::string_view key, std::string_view node, bool allocate);

  [[nodiscard]] transport_status status() const;

 private:
  enum class work_left : uint8_t { none, retry };
  static constexpr uint32_t most_restarts = 3;

  std::optional<std::string> start_once();
  void stop_once();
  void run();
  work_left deliver_all();
  work_left deliver_to(rm_session &session);
  void tell_all_ended();
  void fault(std::string_view slot, tenon_status status);
  void give_up();

  runner_options options_;
  const session_table &sessions_;
  std::unique_ptr<host::bound_module> policy_;
  tenon_transport_v1 table_{};
  tenon_instance *instance_;
  bool has_check_ = false;

  std::mutex use_;  // who calls the instance's [io] slots
  std::vector<std::shared_ptr<rm_session>> mine_;
  uint64_t mine_version_ = ~uint64_t{0};
  bool running_ = false;

  mutable std::mutex mutex_;
  std::condition_variable something_;
  bool notified_ = false, stopping_ = false;
  std::vector<std::pair<uint64_t, uint32_t>> ended_;
  transport_status status_;
  std::thread thread_;
};

}  // namespace tenon::service
