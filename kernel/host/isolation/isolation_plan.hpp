// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How a module is held in processes of its own.
#pragma once

#include <chrono>
#include <filesystem>

#include "tenon/host/deployment.hpp"

namespace tenon::host::isolation {

struct isolation_plan {
  std::filesystem::path program;  // tenon-module-runner
  process_limits limits;
  granted_permissions granted;
  bool require_sandbox = false;
};

}  // namespace tenon::host::isolation
