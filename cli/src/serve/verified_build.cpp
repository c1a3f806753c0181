// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/verified_build.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

extern char **environ;

namespace tenon::cli {
namespace {

// The last lines alone: they say how many checks there were, and the first of them what is wrong.
constexpr size_t longest_words = 2'000;

struct verify_run {
  int status = -1;  // of the process; negative: it did not start
  std::string output;
};

verify_run run(const std::string &manifest) {
  verify_run out;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return out;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::array<std::string, 4> words{"tenon", "plugin", "verify", manifest};
  std::array<char *, 5> arguments{words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::array<char, 4096> some{};
  for (ssize_t got = 0; failed == 0;) {
    got = ::read(ends[0], some.data(), some.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    out.output.append(some.data(), static_cast<size_t>(got));
    if (out.output.size() > 2 * longest_words) out.output.erase(longest_words / 2, longest_words);
  }
  ::close(ends[0]);
  if (failed != 0) return out;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  out.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return out;
}

}  // namespace

std::optional<refusal> verified_build(const host::build_beside &build) {
  const std::string manifest = build.manifest.string();
  const verify_run ran = run(manifest);
  if (ran.status == 0) return std::nullopt;
  return refusal{manifest, "a module that passes the checks",
                 ran.status < 0 ? "checks that did not start" : ran.output.substr(0, longest_words),
                 "run `tenon plugin verify " + manifest + "`, or leave --verify out"};
}

}  // namespace tenon::cli
