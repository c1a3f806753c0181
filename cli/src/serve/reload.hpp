// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reads the configuration again while the scheduler runs: all of it, or nothing changes.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "tenon/host/deployment.hpp"
#include "tenon/kernel/refusal.hpp"
#include "tenon/observe/operations.hpp"

namespace spdlog {
class logger;
}

namespace tenon::cli {

class reloading {
 public:
  reloading(observe::administration &people, const host::deployment &plan, spdlog::logger &log);

  // One at a time, from any thread. The deployment file must still be right; what it names anew waits for a restart.
  [[nodiscard]] observe::configuration_outcome reload(const observe::caller &who,
                                                      const observe::configuration_change &what = {});

 private:
  std::optional<refusal> look_at_deployment();

  observe::administration &people_;
  const host::deployment &plan_;
  spdlog::logger &log_;
  std::string text_;  // of the deployment, when it was opened
  std::mutex one_;
};

}  // namespace tenon::cli
