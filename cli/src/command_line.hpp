// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The commands and options of `tenon`.
#pragma once

#include <iosfwd>

namespace tenon::cli {

// Runs one command. `in` is what the file name - stands for. Results go to `out`, refusals and progress to `err`.
// Returns what the process exits with (run/exit_code.hpp). Throws nothing.
int run_command_line(int argc, const char *const *argv, std::istream &in, std::ostream &out,
                     std::ostream &err) noexcept;

}  // namespace tenon::cli
