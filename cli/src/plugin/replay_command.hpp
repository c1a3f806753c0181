// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon plugin replay`: the last call of a module's record once more.
#pragma once

#include "plugin/plugin_commands.hpp"

namespace tenon::cli {

void add_replay(CLI::App &plugin, chosen_command &chosen);

}  // namespace tenon::cli
