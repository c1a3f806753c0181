// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

namespace tenon::host::testing {

// Returns the processes that this thread started and that are not collected yet.
inline std::vector<pid_t> children() {
  std::ifstream in("/proc/self/task/" + std::to_string(::syscall(SYS_gettid)) + "/children");
  std::vector<pid_t> out;
  for (pid_t pid = 0; in >> pid;) out.push_back(pid);
  return out;
}

}  // namespace tenon::host::testing
