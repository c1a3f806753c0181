// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/supervise.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "tenon/host/unasked_end.hpp"

namespace tenon::cli {
namespace {

using std::chrono::milliseconds;
using clock = std::chrono::steady_clock;

constexpr milliseconds long_life{10'000};                        // after which the next start does not wait
constexpr milliseconds first_pause{100}, longest_pause{30'000};  // between short lives, from the second start on
constexpr milliseconds look{500};                                // between looks at whether the daemon shows life
constexpr milliseconds last_moment{5'000};  // for the end of a process whose descriptors are closed already

// Closed where nobody holds it any more, so is its other end where a program takes the place of the child's.
class lifeline {
 public:
  bool open() {
    close_all();
    return ::pipe2(ends_, O_CLOEXEC) == 0;
  }
  ~lifeline() { close_all(); }
  lifeline() = default;
  lifeline(const lifeline &) = delete;
  lifeline &operator=(const lifeline &) = delete;

  void keep(bool of_child) { close_one(ends_[of_child ? 0 : 1]); }
  [[nodiscard]] int watched() const { return ends_[0]; }
  void stop_watching() { close_one(ends_[0]); }

 private:
  static void close_one(int &end) {
    if (end >= 0) ::close(std::exchange(end, -1));
  }
  void close_all() {
    for (int &end : ends_) close_one(end);
  }

  int ends_[2] = {-1, -1};
};

std::string program_of(pid_t process) {
  std::error_code gone;
  return std::filesystem::read_symlink("/proc/" + std::to_string(process) + "/exe", gone).string();
}

class supervisor {
 public:
  supervisor(spdlog::logger &log, const std::function<exit_code(uint32_t)> &live) : log_(log), live_(live) {
    sigemptyset(&heard_);
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) sigaddset(&heard_, number);
    ::sigprocmask(SIG_BLOCK, &heard_, &before_);
    signals_ = ::signalfd(-1, &heard_, SFD_CLOEXEC);
  }
  ~supervisor() {
    ::close(signals_);
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  supervisor(const supervisor &) = delete;
  supervisor &operator=(const supervisor &) = delete;

  exit_code run() {
    for (;; ++lives_) {
      const clock::time_point begun = clock::now();
      if (!start()) return exit_code::failed;
      const int ended = wait_for_end();
      const auto code = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
      const bool unasked = account_for(ended);
      if (is_asked_) return code < 0 ? exit_code::failed : static_cast<exit_code>(code);
      // It said what it refuses, and would again.
      if (!unasked && code == static_cast<int>(exit_code::bad_input)) return exit_code::bad_input;
      const bool was_long = clock::now() - begun >= long_life;
      pause_ = was_long || lives_ == 0 ? milliseconds(0) : std::clamp(pause_ * 2, first_pause, longest_pause);
      log_.error("the daemon ended, which nobody asked for, with {}: it is started again{}", how(ended),
                 pause_.count() == 0 ? "" : " in " + std::to_string(pause_.count()) + " ms");
      if (!wait_before_next()) return exit_code::ok;
    }
  }

 private:
  static std::string how(int ended) {
    return WIFEXITED(ended) ? "status " + std::to_string(WEXITSTATUS(ended))
                            : "signal " + std::string(::strsignal(WTERMSIG(ended)));
  }

  bool start() {
    const pid_t parent = ::getpid();
    calls_.empty();
    killed_for_.clear();
    is_cut_off_ = false;
    if (!lifeline_.open()) log_.warn("no pipe to the daemon: {}", std::strerror(errno));
    child_ = ::fork();
    if (child_ < 0) {
      log_.error("no process for the daemon: {}", std::strerror(errno));
      return false;
    }
    lifeline_.keep(child_ == 0);
    if (child_ != 0) return true;
    // A terminal's signals come to the supervisor alone, which hands them on once.
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(static_cast<int>(exit_code::failed));
    ::close(signals_);
    // The others stay blocked until the daemon has its handlers (accept_own_signals): a request to stop that comes
    // earlier waits, and does not kill a daemon that starts.
    sigset_t only_child{};
    sigemptyset(&only_child);
    sigaddset(&only_child, SIGCHLD);
    ::sigprocmask(SIG_UNBLOCK, &only_child, nullptr);
    calls_.use();
    std::_Exit(static_cast<int>(live_(lives_)));
  }

  // The status that waitpid gives. What the child started and left in its process group ends with it.
  int wait_for_end() {
    silence_ = milliseconds(0);
    alive_ms_ = 0;
    for (clock::time_point last = clock::now();;) {
      pollfd waits[] = {{signals_, POLLIN, 0}, {lifeline_.watched(), POLLIN, 0}};
      if (::poll(waits, 2, static_cast<int>(look.count())) < 0) continue;
      const clock::time_point now = clock::now();
      look_for_life(std::min(std::chrono::duration_cast<milliseconds>(now - std::exchange(last, now)), 2 * look));
      if (waits[1].revents != 0) look_for_another_program();
      signalfd_siginfo what{};
      if (waits[0].revents == 0 || ::read(signals_, &what, sizeof what) != sizeof what) continue;
      if (what.ssi_signo != SIGCHLD) hand_on(what);
      siginfo_t about{};
      if (::waitid(P_PID, static_cast<id_t>(child_), &about, WEXITED | WNOHANG | WNOWAIT) != 0 || about.si_pid == 0)
        continue;
      ::kill(-child_, SIGKILL);  // before its number is anybody else's
      int status = 0;
      while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
      }
      return status;
    }
  }

  // A daemon that is stopped, or whose threads are gone, never ends by itself. Time in which the supervisor was stopped
  // does not count.
  void look_for_life(milliseconds since_last) {
    const int64_t before = std::exchange(alive_ms_, calls_.alive_ms());
    silence_ = is_cut_off_ || before == alive_ms_ ? silence_ + since_last : milliseconds(0);
    const milliseconds most = is_cut_off_ ? last_moment : calls_.most_silence();
    if (most.count() == 0 || silence_ < most) return;
    kill(is_cut_off_ ? "its process has closed its descriptors and goes on"
                     : "its process has shown no life for " + std::to_string(most.count()) + " ms");
  }

  // Somebody has closed the child's descriptors, or its program was replaced. It may just be ending, too.
  void look_for_another_program() {
    lifeline_.stop_watching();
    const std::string program = program_of(child_);
    is_cut_off_ = true;
    silence_ = milliseconds(0);
    if (program.empty() || program == program_of(::getpid())) return;
    log_.error("the daemon's program was replaced by {}, which nobody asked for: it is killed", program);
    kill("its process runs another program");
  }

  void kill(std::string why) {
    if (!killed_for_.empty()) return;
    killed_for_ = std::move(why);
    ::kill(child_, SIGKILL);
  }

  // Whether it ended by itself without a word. A signal may come from outside, so only a module on trial is suspected
  // of that.
  bool account_for(int ended) {
    if (calls_.is_known()) return false;
    const bool killed = killed_for_.empty() && WIFSIGNALED(ended);
    const std::string what = killed_for_.empty() ? "its process ended with " + how(ended) : killed_for_;
    const std::string who = calls_.suspects(killed);
    log_.error("{}, and nobody of the daemon did that: {}", what, who.empty() ? "no module is suspected" : who);
    calls_.record(what, killed);
    return true;
  }

  void hand_on(const signalfd_siginfo &what) {
    const auto number = static_cast<int>(what.ssi_signo);
    if (what.ssi_pid == static_cast<uint32_t>(child_)) {
      log_.error("the daemon's own process sent {}, which nobody asked for: nothing is done", ::strsignal(number));
      return;
    }
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
  int signals_ = -1;
  host::shared_calls calls_;
  lifeline lifeline_;
  pid_t child_ = -1;
  uint32_t lives_ = 0;
  milliseconds pause_{0};
  bool is_asked_ = false;
  std::string killed_for_;   // by the supervisor; empty: it did not kill the child
  bool is_cut_off_ = false;  // the child has closed its end of the lifeline
  milliseconds silence_{0};  // of the child, since its page has said anything else than alive_ms_
  int64_t alive_ms_ = 0;
};

}  // namespace

exit_code supervise(spdlog::logger &log, const std::function<exit_code(uint32_t)> &live) {
  return supervisor(log, live).run();
}

}  // namespace tenon::cli
