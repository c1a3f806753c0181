// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a shell offers while a command is typed, made from the commands and options themselves.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tenon::cli {

// The words that an option takes; none where it takes others.
[[nodiscard]] std::vector<std::string> words_of(const CLI::Option &option);

// A script for bash: commands, options, words that an option takes, and files where it takes a file.
[[nodiscard]] std::string bash_completion(const CLI::App &program);

}  // namespace tenon::cli
