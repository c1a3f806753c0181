// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "run/quiet_log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace tenon::cli {

std::shared_ptr<spdlog::logger> quiet_log() {
  auto log = std::make_shared<spdlog::logger>("tenon", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  log->set_level(spdlog::level::warn);
  return log;
}

}  // namespace tenon::cli
