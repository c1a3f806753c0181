// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The host's log where a command's outcome is what people want to read: warnings and worse, on standard error.
#pragma once

#include <memory>

namespace spdlog {
class logger;
}

namespace tenon::cli {

[[nodiscard]] std::shared_ptr<spdlog::logger> quiet_log();

}  // namespace tenon::cli
