// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a shell offers while a command is typed, made from the commands and options themselves.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace tenon::cli {

// A script for bash: commands, options, words that an option takes, and files where it takes a file.
[[nodiscard]] std::string bash_completion(const CLI::App &program);

}  // namespace tenon::cli
