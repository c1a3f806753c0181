// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How many files the process may open.
#pragma once

#include <spdlog/logger.h>

#include <string>

namespace tenon::cli {

// Why listeners turn connections away: they leave the last 32 to the rest of the daemon. Empty: they do not.
[[nodiscard]] std::string files_run_out();

// Raises the soft limit to the hard one, and logs it. Connections are descriptors, and a listener that runs out of them
// does not always listen again.
void raise_open_files(spdlog::logger &log);

}  // namespace tenon::cli
