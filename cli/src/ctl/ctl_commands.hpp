// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The command line of `tenon ctl`.
#pragma once

#include "plugin/plugin_commands.hpp"

namespace tenon::cli {

// Adds the group. Parsing one of its commands sets `chosen`, which outlives the parser.
void add_ctl_commands(CLI::App &app, chosen_command &chosen);

}  // namespace tenon::cli
