// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The command line of `tenon ctl`.
#pragma once

#include <string>
#include <vector>

#include "plugin/plugin_commands.hpp"

namespace tenon::cli {

// Puts words of `tenon ctl` in the order that its commands have: `drain n-1` and `node drain n-1` are `drain node n-1`,
// and `kill application app-7` is `kill app-7`. Other words stay as they are.
[[nodiscard]] std::vector<std::string> in_order_of_commands(std::vector<std::string> words);

// Adds the group. Parsing one of its commands sets `chosen`, which outlives the parser.
void add_ctl_commands(CLI::App &app, chosen_command &chosen);

}  // namespace tenon::cli
