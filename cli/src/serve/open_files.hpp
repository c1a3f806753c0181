// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Whether the process may open more files.
#pragma once

#include <string>

namespace tenon::cli {

// Why listeners turn connections away: they leave the last 32 to the rest of the daemon. Empty: they do not.
[[nodiscard]] std::string files_run_out();

}  // namespace tenon::cli
