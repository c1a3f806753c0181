// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon shadow`: what the shadow of a deployment says of a journal, also of one that a daemon is writing.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "plugin/plugin_commands.hpp"
#include "run/exit_code.hpp"

namespace CLI {
class App;
}

namespace tenon::cli {

struct shadow_options {
  std::string journal, deployment, module_path;
  std::string decisions;  // that the daemon writes; empty: nothing is checked
  uint64_t from = 0;      // decisions
  uint64_t first = 10;    // differences that are shown
  bool follow = false, json = false;
};

void add_shadow_command(CLI::App &app, chosen_command &chosen);

[[nodiscard]] exit_code run_shadow(const shadow_options &options, std::ostream &out, std::ostream &err);

}  // namespace tenon::cli
