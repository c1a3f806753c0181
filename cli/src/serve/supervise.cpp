// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/supervise.hpp"

#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

namespace tenon::cli {
namespace {

using std::chrono::milliseconds;
using clock = std::chrono::steady_clock;

constexpr milliseconds long_life{10'000};                        // after which the next start does not wait
constexpr milliseconds first_pause{100}, longest_pause{30'000};  // between short lives, from the second start on

class supervisor {
 public:
  supervisor(spdlog::logger &log, const std::function<exit_code(uint32_t)> &live) : log_(log), live_(live) {
    sigemptyset(&heard_);
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) sigaddset(&heard_, number);
    ::sigprocmask(SIG_BLOCK, &heard_, &before_);
  }
  ~supervisor() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  supervisor(const supervisor &) = delete;
  supervisor &operator=(const supervisor &) = delete;

  exit_code run() {
    for (;; ++lives_) {
      const clock::time_point begun = clock::now();
      if (!start()) return exit_code::failed;
      const int ended = wait_for_end();
      const auto code = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
      if (is_asked_) return code < 0 ? exit_code::failed : static_cast<exit_code>(code);
      // It said why, and would again.
      if (code == static_cast<int>(exit_code::failed) || code == static_cast<int>(exit_code::bad_input))
        return static_cast<exit_code>(code);
      const bool was_long = clock::now() - begun >= long_life;
      pause_ = was_long || lives_ == 0 ? milliseconds(0) : std::clamp(pause_ * 2, first_pause, longest_pause);
      log_.error("the daemon ended, which nobody asked for, with {}: it is started again{}",
                 code < 0 ? "signal " + std::string(::strsignal(WTERMSIG(ended))) : "status " + std::to_string(code),
                 pause_.count() == 0 ? "" : " in " + std::to_string(pause_.count()) + " ms");
      if (!wait_before_next()) return exit_code::ok;
    }
  }

 private:
  bool start() {
    const pid_t parent = ::getpid();
    child_ = ::fork();
    if (child_ < 0) {
      log_.error("no process for the daemon: {}", std::strerror(errno));
      return false;
    }
    if (child_ != 0) return true;
    // A terminal's signals come to the supervisor alone, which hands them on once.
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(static_cast<int>(exit_code::failed));
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
    std::_Exit(static_cast<int>(live_(lives_)));
  }

  // The status that waitpid gives.
  int wait_for_end() {
    for (;;) {
      siginfo_t what{};
      const int number = ::sigwaitinfo(&heard_, &what);
      if (number == SIGCHLD) {
        int status = 0;
        if (::waitpid(child_, &status, WNOHANG) == child_) return status;
      } else if (number > 0) {
        hand_on(number);
      }
    }
  }

  void hand_on(int number) {
    if (number != SIGHUP) is_asked_ = true;
    ::kill(child_, number);
  }

  // False: it is to stop.
  bool wait_before_next() {
    const clock::time_point until = clock::now() + pause_;
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(until - clock::now()).count();
      if (left <= 0) return true;
      const timespec time{left / 1'000'000'000, left % 1'000'000'000};
      const int number = ::sigtimedwait(&heard_, nullptr, &time);
      if (number == SIGTERM || number == SIGINT) return false;
    }
  }

  spdlog::logger &log_;
  const std::function<exit_code(uint32_t)> &live_;
  sigset_t heard_{}, before_{};
  pid_t child_ = -1;
  uint32_t lives_ = 0;
  milliseconds pause_{0};
  bool is_asked_ = false;
};

}  // namespace

exit_code supervise(spdlog::logger &log, const std::function<exit_code(uint32_t)> &live) {
  return supervisor(log, live).run();
}

}  // namespace tenon::cli
