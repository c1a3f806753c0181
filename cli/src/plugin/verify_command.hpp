// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon plugin verify`: the conformance checks on a module.
#pragma once

#include "plugin/plugin_commands.hpp"

namespace tenon::cli {

void add_verify(CLI::App &plugin, chosen_command &chosen);

}  // namespace tenon::cli
