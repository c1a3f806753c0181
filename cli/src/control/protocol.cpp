// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "control/protocol.hpp"

#include <cstdlib>

namespace tenon::cli {

std::vector<std::filesystem::path> usual_control_sockets() {
  std::vector<std::filesystem::path> out;
  const char *runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime != '\0') out.push_back(std::filesystem::path(runtime) / "tenon/control.sock");
  out.emplace_back("/run/tenon/control.sock");
  return out;
}

std::filesystem::path default_control_socket() { return usual_control_sockets().front(); }

}  // namespace tenon::cli
