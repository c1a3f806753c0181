// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Runs a program in its own process group, listens to it, and leaves nothing of it behind.
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tenon::host {

struct child_outcome {
  enum class end { not_started, exited, killed_by_signal, timed_out } how = end::not_started;
  int code = 0;        // exit status, signal number, or errno of the start
  std::string lines;   // what it wrote to `report_fd`
  std::string output;  // the last of what it wrote to standard output and error
};

// Starts `program` with `arguments`, standard input empty, every other descriptor of this process closed, the
// writing end of a pipe as descriptor `report_fd`, and those of `given` as the ones after it. Waits until it ended or
// the timeout is over; then kills its process group, so that its own children go too.
[[nodiscard]] child_outcome run_child(const std::filesystem::path &program, const std::vector<std::string> &arguments,
                                      int report_fd, std::chrono::milliseconds timeout,
                                      std::span<const int> given = {});

}  // namespace tenon::host
