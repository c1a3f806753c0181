// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The daemon's side of its shadow: starts it, hears what it says, starts it again. Nobody of the daemon waits for it.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <boost/json.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tenon/host/deployment.hpp"
#include "tenon/observe/health_check.hpp"
#include "tenon/observe/kernel_access.hpp"

namespace spdlog {
class logger;
}

namespace tenon::cli {

// What can be seen of it without opening a module: a file that it names and that cannot be read.
[[nodiscard]] std::optional<refusal> refusal_of_shadow(const host::deployment &plan);

class shadow_watch {
 public:
  // `command`: arguments of this program. `tell` is called on a thread of its own.
  shadow_watch(const host::world_shadow_use &how, std::vector<std::string> command, spdlog::logger &log,
               std::function<void(const std::string &)> tell);
  ~shadow_watch();
  shadow_watch(const shadow_watch &) = delete;
  shadow_watch &operator=(const shadow_watch &) = delete;

  void start();
  void stop();
  // The journal has one more, its header before the first; from the cycle thread.
  void one_more_command() { written_.fetch_add(1, std::memory_order_relaxed); }

  // From any thread.
  [[nodiscard]] boost::json::object look() const;
  [[nodiscard]] std::vector<observe::figure> figures() const;
  [[nodiscard]] observe::health_check check() const;

 private:
  using clock = std::chrono::steady_clock;
  enum class state : uint8_t { starts, follows, silent, waits, stopped, refused };
  // What is found, of this life or of those before.
  struct tally {
    uint64_t compared = 0, same = 0, other = 0, refused = 0, passed_over = 0, faults = 0;
    void add(const tally &more);
  };

  void watch();
  void live(uint64_t from);
  [[nodiscard]] bool begin(uint64_t from, int &hears);
  void listen(int hears);
  void take_line(const std::string &line);
  void take(const boost::json::object &said);
  void look_at_lag();
  [[nodiscard]] std::optional<int> status_of_child();
  void end_child(int status);
  [[nodiscard]] bool waits_before_next();
  [[nodiscard]] bool is_stopping() const;
  [[nodiscard]] bool is_given_up() const;
  [[nodiscard]] tally sum() const;
  [[nodiscard]] bool is_new(const boost::json::object &fault) const;
  [[nodiscard]] int64_t commands_behind() const;
  [[nodiscard]] int64_t ms_behind() const;
  static std::string_view word(state of);

  const host::world_shadow_use how_;
  const std::vector<std::string> command_;
  spdlog::logger &log_;
  const std::function<void(const std::string &)> tell_;
  std::atomic<int64_t> written_{-1};
  std::thread thread_;

  mutable std::mutex mutex_;  // of what follows
  bool stopping_ = false;
  clock::time_point given_up_at_;  // where it is stopping
  state state_ = state::starts;
  pid_t child_ = -1;
  uint64_t restarts_ = 0;
  std::string message_;  // the last words of a shadow that ended
  tally before_, now_;
  uint64_t commands_ = 0, decisions_ = 0, checked_ = 0, unequal_ = 0, next_ = 0;
  boost::json::object settings_;
  boost::json::array first_;         // others
  boost::json::array first_faults_;  // of each module in each place
  boost::json::value first_unequal_;
  clock::time_point heard_at_, begun_at_;
  struct reached {
    clock::time_point at;
    int64_t commands;
  };
  std::deque<reached> written_at_;

  // Of the thread alone.
  std::string line_, complaint_;
  bool was_killed_ = false;  // by this one
  std::chrono::milliseconds pause_{0};
};

}  // namespace tenon::cli
