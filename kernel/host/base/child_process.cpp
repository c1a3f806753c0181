// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "base/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/descriptor.hpp"
#include "base/spawn_plan.hpp"

extern char **environ;

namespace tenon::host {
namespace {

constexpr size_t max_lines_bytes = 64 << 10;
constexpr size_t max_output_bytes = 2 << 10;

struct pipe_ends {
  descriptor reading, writing;
  int error = 0;
};

pipe_ends open_pipe() {
  std::array<int, 2> ends{-1, -1};
  pipe_ends out;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    out.error = errno;
    return out;
  }
  out.reading = descriptor(ends[0]);
  out.writing = descriptor(ends[1]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return out;
}

// Reads what is there, a bounded amount of it, for the writer may never stop; false at the end of the pipe.
bool drain(const descriptor &from, std::string &to) {
  std::array<char, 4096> buffer;
  for (int rounds = 0; rounds < 32; ++rounds) {
    const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
    if (got > 0) {
      to.append(buffer.data(), static_cast<size_t>(got));
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    return got != 0;
  }
  return true;
}

void keep_last(std::string &text, size_t bytes) {
  if (text.size() > bytes) text.erase(0, text.size() - bytes);
}

class running_child {
 public:
  explicit running_child(pid_t pid) : pid_(pid), ended_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}
  running_child(const running_child &) = delete;
  running_child &operator=(const running_child &) = delete;

  // True when it ended before the deadline.
  bool listen(const descriptor &report, const descriptor &output, child_outcome &heard,
              std::chrono::steady_clock::time_point deadline) {
    bool report_open = true, output_open = true;
    for (;;) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      if (left.count() <= 0) return false;
      const auto wait_ms = static_cast<int>(ended_ ? left.count() + 1 : std::min<int64_t>(left.count() + 1, 20));
      std::array<pollfd, 3> waits{pollfd{ended_.get(), POLLIN, 0}, pollfd{report_open ? report.get() : -1, POLLIN, 0},
                                  pollfd{output_open ? output.get() : -1, POLLIN, 0}};
      if (::poll(waits.data(), waits.size(), wait_ms) < 0 && errno != EINTR) return false;
      if (waits[1].revents != 0) report_open = drain(report, heard.lines);
      if (waits[2].revents != 0) output_open = drain(output, heard.output);
      keep_last(heard.output, max_output_bytes);
      if (heard.lines.size() > max_lines_bytes) return false;
      if (waits[0].revents != 0 || (!ended_ && has_ended())) return true;
    }
  }

  // Ends what is left of its process group, then collects it. The group exists, and its number is not given
  // to anybody else, as long as the child itself is not collected.
  void finish(child_outcome &out, bool ended) {
    ::kill(-pid_, SIGKILL);
    int status = 0;  // stays so where the process ignores SIGCHLD: then the system collects its children
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    if (!ended) {
      out.how = child_outcome::end::timed_out;
    } else if (WIFEXITED(status)) {
      out.how = child_outcome::end::exited;
      out.code = WEXITSTATUS(status);
    } else {
      out.how = child_outcome::end::killed_by_signal;
      out.code = WTERMSIG(status);
    }
  }

 private:
  // Without collecting it. Nobody can wait for a child that the system has collected already.
  [[nodiscard]] bool has_ended() const {
    siginfo_t about{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &about, WEXITED | WNOHANG | WNOWAIT) != 0 || about.si_pid == pid_;
  }

  pid_t pid_;
  descriptor ended_;  // readable when it ended; closed where the system has no such thing, or it ended before
};

}  // namespace

child_outcome run_child(const std::filesystem::path &program, const std::vector<std::string> &arguments, int report_fd,
                        std::chrono::milliseconds timeout, std::span<const int> given) {
  child_outcome out;
  pipe_ends report = open_pipe(), output = open_pipe();
  if (!report.reading || !output.reading) {
    out.code = report.error != 0 ? report.error : output.error;
    return out;
  }
  // dup2 below must not overwrite an end that is still to be given away.
  const int last_fd = report_fd + static_cast<int>(given.size());
  for (pipe_ends *ends : {&report, &output})
    if (ends->writing.get() <= last_fd)
      ends->writing = descriptor(::fcntl(ends->writing.get(), F_DUPFD_CLOEXEC, last_fd + 1));
  std::vector<descriptor> handed;
  for (const int each : given) handed.emplace_back(::fcntl(each, F_DUPFD_CLOEXEC, last_fd + 1));

  std::vector<std::string> texts{program.string()};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char *> argv;
  for (std::string &text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);

  spawn_plan plan;
  plan.empty_input();
  plan.give(output.writing, STDOUT_FILENO);
  plan.give(output.writing, STDERR_FILENO);
  plan.give(report.writing, report_fd);
  for (size_t i = 0; i < handed.size(); ++i) plan.give(handed[i], report_fd + 1 + static_cast<int>(i));
  plan.close_from(last_fd + 1);
  pid_t pid = -1;
  if (out.code = plan.start(pid, texts.front().c_str(), argv.data(), environ); out.code != 0) return out;
  report.writing.reset();
  output.writing.reset();

  running_child child(pid);
  const bool ended = child.listen(report.reading, output.reading, out, std::chrono::steady_clock::now() + timeout);
  child.finish(out, ended);
  drain(report.reading, out.lines);
  drain(output.reading, out.output);
  keep_last(out.output, max_output_bytes);
  return out;
}

}  // namespace tenon::host
