// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One life of the daemon: what it opened, its threads, signals and timers.
#pragma once

#include <memory>
#include <optional>

#include "run/exit_code.hpp"
#include "serve/serve_command.hpp"
#include "tenon/host/deployment.hpp"
#include "tenon/kernel/refusal.hpp"

namespace spdlog {
class logger;
}

namespace tenon::cli {

class daemon_process {
 public:
  daemon_process(serve_options options, host::deployment plan, std::shared_ptr<spdlog::logger> log);
  ~daemon_process();

  // Opens modules, queues and files: everything that can be refused before something starts.
  [[nodiscard]] std::optional<refusal> open();
  // Makes transports and event sinks too, and starts none.
  [[nodiscard]] std::optional<refusal> check();
  // Starts, and serves until a signal or a module ends it. The refusal: it did not start, and nothing is left running.
  [[nodiscard]] std::optional<refusal> run(exit_code &ended);

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace tenon::cli
