// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The name of a status.
#pragma once

#include <array>
#include <string>

#include "tenon/abi/base.h"

namespace tenon::host {

// "INTERNAL", or the number of a status that no header names.
[[nodiscard]] inline std::string status_text(tenon_status status) {
  constexpr std::array names{"OK",          "DECLINED",  "UNSCHEDULABLE", "UNRESOLVABLE", "RETRY", "INVALID_CONFIG",
                             "UNSUPPORTED", "EXHAUSTED", "INTERNAL"};
  if (status < 0 || static_cast<size_t>(status) >= names.size()) return "the unknown status " + std::to_string(status);
  return names[static_cast<size_t>(status)];
}

}  // namespace tenon::host
