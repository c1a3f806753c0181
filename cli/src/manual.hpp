// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The manual page of the program, from the commands and options themselves.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace tenon::cli {

// tenon(1) in roff: every command with its arguments, options, examples and exit codes.
[[nodiscard]] std::string manual_page(const CLI::App &program, const std::string &version);

}  // namespace tenon::cli
