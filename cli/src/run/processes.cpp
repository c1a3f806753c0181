// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "run/processes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "run/exit_code.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

struct child {
  size_t run = 0;
  pid_t pid = -1;
  int says = -1;  // end of a pipe: its answer, or its refusal
  std::string said = {};
};

void write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(to, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody listens
    text.remove_prefix(static_cast<size_t>(written));
  }
}

[[noreturn]] void play_in_child(pid_t parent, int to, const process_run &run) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(static_cast<int>(exit_code::failed));
  const auto answer = run.play();
  if (answer) {
    write_all(to, *answer);
    ::_exit(static_cast<int>(exit_code::ok));
  }
  const refusal &why = answer.why();
  write_all(to, json::serialize(json::array{why.where, why.want, why.have, why.fix}));
  ::_exit(static_cast<int>(exit_code::bad_input));
}

refusal refusal_of(const process_run &run, const std::string &said) {
  boost::system::error_code broken;
  const json::value fields = json::parse(said, broken);
  if (broken || !fields.is_array()) return {run.name, "its answer", "a process that ended", ""};
  const auto field = [&](size_t at) { return std::string(fields.as_array().at(at).as_string()); };
  return {field(0), field(1), field(2), field(3)};
}

class process_pool {
 public:
  process_pool(const std::vector<process_run> &runs, const process_plan &plan)
      : runs_(runs),
        plan_(plan),
        at_once_(plan.at_once > 0 ? plan.at_once : std::max(1U, std::thread::hardware_concurrency())),
        answers_(runs.size()),
        refusals_(runs.size()) {}

  result<std::vector<std::string>> run() {
    while (next_ < runs_.size() || !playing_.empty()) {
      while (next_ < runs_.size() && playing_.size() < at_once_) start();
      if (!playing_.empty()) hear();
    }
    for (const auto &why : refusals_)
      if (why) return *why;
    return std::move(answers_);
  }

 private:
  void refuse(size_t run, refusal why) {
    refusals_[run] = std::move(why);
    next_ = runs_.size();  // no more of them
  }

  void start() {
    const size_t run = next_++;
    std::array<int, 2> ends{-1, -1};
    const bool piped = ::pipe2(ends.data(), O_CLOEXEC) == 0;
    const pid_t parent = ::getpid();
    const pid_t pid = piped ? ::fork() : -1;
    if (pid == 0) play_in_child(parent, ends[1], runs_[run]);
    if (pid > 0) {
      ::close(ends[1]);
      playing_.push_back({run, pid, ends[0]});
      return;
    }
    const int wrong = errno;
    for (const int end : ends)
      if (end >= 0) ::close(end);
    refuse(run, {plan_.where, "a process for " + runs_[run].name, std::strerror(wrong), "run fewer at once"});
  }

  // Reads from those that say something, until one has ended.
  void hear() {
    std::vector<pollfd> ears;
    for (const child &one : playing_) ears.push_back({one.says, POLLIN, 0});
    if (::poll(ears.data(), ears.size(), -1) < 0) return;  // a signal
    for (size_t i = ears.size(); i-- > 0;) {
      if (ears[i].revents == 0 || reads_more(playing_[i])) continue;
      end(playing_[i]);
      playing_.erase(playing_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  static bool reads_more(child &of) {
    std::array<char, 4096> some{};
    const ssize_t got = ::read(of.says, some.data(), some.size());
    if (got > 0) of.said.append(some.data(), static_cast<size_t>(got));
    return got > 0 || (got < 0 && errno == EINTR);
  }

  void end(child &of) {
    ::close(of.says);
    int status = 0;
    while (::waitpid(of.pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      answers_[of.run] = std::move(of.said);
    } else {
      refuse(of.run, refusal_of(runs_[of.run], of.said));
    }
    ++ended_;
    if (plan_.listen) plan_.listen(ended_);
  }

  const std::vector<process_run> &runs_;
  const process_plan &plan_;
  const size_t at_once_;
  std::vector<std::string> answers_;
  std::vector<std::optional<refusal>> refusals_;
  std::vector<child> playing_;
  size_t next_ = 0, ended_ = 0;
};

}  // namespace

result<std::vector<std::string>> run_in_processes(const std::vector<process_run> &runs, const process_plan &plan) {
  return process_pool(runs, plan).run();
}

}  // namespace tenon::cli
