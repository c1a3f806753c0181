// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The command line of `tenon plugin`.
#pragma once

#include <functional>
#include <iosfwd>

namespace CLI {
class App;
}

namespace tenon::cli {

// Runs the command that was chosen and gives its exit code.
using chosen_command = std::function<int(std::istream &in, std::ostream &out, std::ostream &err)>;

// Adds the group. Parsing one of its commands sets `chosen`, which outlives the parser.
void add_plugin_commands(CLI::App &app, chosen_command &chosen);

}  // namespace tenon::cli
