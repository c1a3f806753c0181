// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The daemon's log on standard error: a line for people, or a JSON object a line.
#pragma once

#include <memory>
#include <string>

namespace spdlog {
class logger;
}

namespace tenon::cli {

// `level` is a word of spdlog's: debug, info, warning, error.
[[nodiscard]] std::shared_ptr<spdlog::logger> daemon_log(bool json, const std::string &level);

}  // namespace tenon::cli
