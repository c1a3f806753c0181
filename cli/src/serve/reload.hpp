// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reads the configuration again while the scheduler runs: all of it, or nothing changes.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "tenon/host/deployment.hpp"
#include "tenon/kernel/refusal.hpp"
#include "tenon/service/scheduler.hpp"

namespace spdlog {
class logger;
}

namespace tenon::cli {

class reloading {
 public:
  reloading(service::scheduler &scheduler, const host::deployment &plan, spdlog::logger &log);

  // One at a time, from any thread. The deployment file must still be right; what it names anew waits for a restart.
  [[nodiscard]] std::optional<refusal> reload();

 private:
  std::optional<refusal> look_at_deployment();

  service::scheduler &scheduler_;
  const host::deployment &plan_;
  spdlog::logger &log_;
  std::string text_;  // of the deployment, when it was opened
  std::mutex one_;
};

}  // namespace tenon::cli
