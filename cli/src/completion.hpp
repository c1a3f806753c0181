// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a shell offers while a command is typed, from the commands and options themselves.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tenon::cli {

// The words that an option takes; none where it takes others.
[[nodiscard]] std::vector<std::string> words_of(const CLI::Option &option);

// bash, zsh, fish.
[[nodiscard]] std::vector<std::string> completion_shells();
// A script that makes a shell ask the program: complete -- WORDS...
[[nodiscard]] std::string_view completion_script(std::string_view shell);

// Commands, options and words that can stand in place of the last word, each on its line with a tab and its meaning;
// the line ":files" or ":folders" where these can.
[[nodiscard]] std::string completions(const CLI::App &program, std::vector<std::string> words);

}  // namespace tenon::cli
