// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "check_process.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

namespace tenon::conformance {
namespace {

using clock = std::chrono::steady_clock;

// Direct children of this process, which as a subreaper inherits its orphaned grandchildren.
std::vector<pid_t> children() {
  std::vector<pid_t> out;
  std::array<char, 64> name{};
  std::snprintf(name.data(), name.size(), "/proc/self/task/%d/children", static_cast<int>(::getpid()));
  std::FILE *file = std::fopen(name.data(), "re");
  if (file == nullptr) return out;
  int pid = 0;
  while (std::fscanf(file, "%d", &pid) == 1) out.push_back(pid);
  std::fclose(file);
  return out;
}

void kill_descendants() {
  for (int round = 0; round < 200; ++round) {
    const auto left = children();
    if (left.empty()) return;
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    for (const pid_t pid : left) ::waitpid(pid, nullptr, 0);
  }
}

[[noreturn]] void be_the_test(shared_page &page, pid_t supervisor, int output, const std::function<void()> &body) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != supervisor) ::_exit(3);
  ::setpgid(0, 0);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const rlimit memory{rlim_t{8} << 30, rlim_t{8} << 30};
  ::setrlimit(RLIMIT_AS, &memory);
#endif
  const rlimit files{1024, 1024};  // what most processes have
  ::setrlimit(RLIMIT_NOFILE, &files);
  if (const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC); nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  if (output >= 0) {
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    ::close(output);
    const rlimit file_bytes{16 << 20, 16 << 20};
    ::setrlimit(RLIMIT_FSIZE, &file_bytes);
  }
  ::mallopt(M_PERTURB, 0xA5);  // what is freed, and what nobody wrote yet, holds nothing useful
  body();
  // Without destructors: a module's would say more about the end of a process than about what was asked.
  ::_exit(page.how() == shared_page::none ? 4 : 0);
}

// What the supervisor tells through shared memory.
struct ending {
  sandbox_outcome::end how = sandbox_outcome::end::not_started;
  int code = 0;
};

// How the process ended, or that it has not within the limit.
ending wait_for(pid_t pid, const shared_page &page, std::chrono::milliseconds limit) {
  const int ended = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  const auto deadline = clock::now() + limit;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock::now()).count();
    pollfd wait{ended, POLLIN, 0};
    if (left > 0 && ::poll(&wait, 1, static_cast<int>(left) + 1) < 0 && errno == EINTR) continue;
    int status = 0;
    const pid_t got = ::waitpid(pid, &status, WNOHANG);
    if (got == 0 && left > 0) continue;
    ::close(ended);
    if (got != pid) return {sandbox_outcome::end::timed_out, 0};
    if (WIFSIGNALED(status)) return {sandbox_outcome::end::killed, WTERMSIG(status)};
    if (page.how() != shared_page::none && WEXITSTATUS(status) == 0) return {sandbox_outcome::end::verdict, 0};
    return {sandbox_outcome::end::exited, WEXITSTATUS(status)};
  }
}

[[noreturn]] void be_the_supervisor(shared_page &page, ending &out, std::chrono::milliseconds limit, int output,
                                    const std::function<void()> &body, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(3);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::signal(SIGCHLD, SIG_DFL);
  const pid_t self = ::getpid();
  const pid_t test = ::fork();
  if (test == 0) be_the_test(page, self, output, body);
  if (test < 0) {
    out.code = errno;
    ::_exit(0);
  }
  out = wait_for(test, page, limit);
  kill_descendants();
  ::_exit(0);
}

std::string last_text(int file) {
  std::array<char, 400> end{};
  if (file < 0) return {};
  const off_t size = ::lseek(file, 0, SEEK_END);
  const off_t from = size > static_cast<off_t>(end.size()) ? size - static_cast<off_t>(end.size()) : 0;
  const ssize_t got = ::pread(file, end.data(), end.size(), from);
  return got > 0 ? std::string(end.data(), static_cast<size_t>(got)) : std::string();
}

}  // namespace

shared_page *shared_page::make() {
  void *memory = ::mmap(nullptr, sizeof(shared_page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return new (memory) shared_page;
}

void shared_page::free(shared_page *page) { ::munmap(page, sizeof(shared_page)); }

sandbox_outcome run_in_sandbox(shared_page &page, std::chrono::milliseconds limit, const std::function<void()> &body) {
  void *memory = ::mmap(nullptr, sizeof(ending), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  auto *said = new (memory) ending;
  const int output = ::memfd_create("output", MFD_CLOEXEC);
  if (output >= 0) ::fcntl(output, F_SETFL, O_APPEND);
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t supervisor = ::fork();
  if (supervisor == 0) be_the_supervisor(page, *said, limit, output, body, parent);
  if (supervisor < 0) {
    said->code = errno;
  } else {
    while (::waitpid(supervisor, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  sandbox_outcome out{said->how, said->code, last_text(output)};
  if (output >= 0) ::close(output);
  ::munmap(memory, sizeof(ending));
  return out;
}

}  // namespace tenon::conformance
