// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Runs the daemon in a child process, and again where something else than its operator ended it.
#pragma once

#include <cstdint>
#include <functional>

#include "run/exit_code.hpp"

namespace spdlog {
class logger;
}

namespace tenon::cli {

// `live` is called in a child of its own each time, with the number of lives before. Before the process has threads.
// Signals that end or reload a daemon are handed on. The code is that of the last child.
[[nodiscard]] exit_code supervise(spdlog::logger &log, const std::function<exit_code(uint32_t lives_before)> &live);

}  // namespace tenon::cli
