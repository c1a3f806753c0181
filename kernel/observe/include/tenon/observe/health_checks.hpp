// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Whether the scheduler does its work: one list of checks for everybody who asks, over REST, gRPC or the control
// socket.
//
// A check fails where the scheduler does not do its work; it warns where something wants attention and scheduling goes
// on. Asking never waits for the scheduler.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tenon/host/module_host.hpp"
#include "tenon/observe/health_check.hpp"
#include "tenon/observe/kernel_access.hpp"
#include "tenon/observe/outcome_finding.hpp"

namespace tenon::observe {

class outcome_watch;
class snapshot_keeper;

struct health_report {
  bool healthy = true;  // no check fails
  std::vector<health_check> checks;
};

class health_checks {
 public:
  // A fault is warned of for `memory`.
  health_checks(kernel_access &to, host::module_host &modules, snapshot_keeper &keeper,
                std::chrono::milliseconds memory);
  ~health_checks();
  health_checks(const health_checks &) = delete;
  health_checks &operator=(const health_checks &) = delete;

  // Checks of whoever runs the scheduler. Before anybody asks; called from any thread.
  void add(std::function<std::vector<health_check>()> more);
  // From any thread.
  [[nodiscard]] health_report look();
  // Asks the scheduler's thread to say that it runs, and how its resource managers are. Also asked by look().
  void beat();
  // Beyond it a module holds that thread up, or the machine.
  static constexpr std::chrono::seconds slow{5};
  // Since it was asked, where it has not answered.
  [[nodiscard]] std::chrono::milliseconds silence() const;
  // What does not happen though it should, as of the last look, of which there are four in containment.outcome from the
  // first call on. Whoever moves the scheduler by hand is told of predicates alone. From any thread.
  [[nodiscard]] std::vector<outcome_finding> findings();
  // The state is not looked at any more. Before the kernel_access goes.
  void close();

  // A node was refused, or is there now: what is warned of. From any thread.
  void node_refused(std::string_view partition, std::string_view node, std::string_view why);
  void node_accepted(std::string_view partition, std::string_view node);

 private:
  struct beats;
  // Of a moment of the steady clock; 0: it never happened.
  [[nodiscard]] bool is_recent(int64_t at_ns) const;
  void ask_for_beat();
  void start();
  void look_now_and_then();
  void look_at_sums();
  void look_at_outcomes();
  void take_for_faults(const std::vector<outcome_finding> &found);

  kernel_access &access_;
  host::module_host &modules_;
  snapshot_keeper &keeper_;
  const std::chrono::nanoseconds memory_;
  struct refused_node {
    std::string partition, node, why;
    int64_t at_ns = 0;
  };
  static constexpr size_t most_refused = 10;  // that are named
  [[nodiscard]] std::string refused_lately();
  std::atomic<bool> some_refused_ = false;
  std::vector<std::function<std::vector<health_check>()>> more_;
  std::shared_ptr<beats> beats_;  // outlives questions that are under way

  std::mutex mutex_;                   // of what follows
  std::vector<refused_node> refused_;  // the last ones, each once
  std::condition_variable wake_;
  std::vector<health_check> sums_;         // as of the last look
  std::vector<outcome_finding> outcomes_;  // likewise
  bool wanted_ = false, closed_ = false;
  std::thread thread_;
  std::unique_ptr<outcome_watch> watch_;  // of that thread
};

}  // namespace tenon::observe
