// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Programs that are installed with the one that runs.
#pragma once

#include <filesystem>
#include <system_error>

namespace tenon::host {

[[nodiscard]] inline std::filesystem::path beside_executable(const char *name) {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? std::filesystem::path(name) : program.parent_path() / name;
}

}  // namespace tenon::host
