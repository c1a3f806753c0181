// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How a child process is started.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include "base/descriptor.hpp"

namespace tenon::host {

// posix_spawn with everything about descriptors and signals said.
class spawn_plan {
 public:
  spawn_plan() {
    posix_spawn_file_actions_init(&files_);
    posix_spawnattr_init(&attributes_);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~spawn_plan() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&files_);
  }
  spawn_plan(const spawn_plan &) = delete;
  spawn_plan &operator=(const spawn_plan &) = delete;

  void empty_input() { posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0); }
  void empty_output() { posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0); }
  void give(const descriptor &from, int as) { posix_spawn_file_actions_adddup2(&files_, from.get(), as); }
  void close_from(int first) { posix_spawn_file_actions_addclosefrom_np(&files_, first); }

  // 0, or the errno of the start.
  int start(pid_t &child, const char *program, char **arguments, char **environment) {
    return posix_spawn(&child, program, &files_, &attributes_, arguments, environment);
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

}  // namespace tenon::host
