// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon serve`: the daemon.
#pragma once

#include <iosfwd>
#include <string>

#include "plugin/plugin_commands.hpp"
#include "run/exit_code.hpp"

namespace CLI {
class App;
}

namespace tenon::cli {

struct serve_options {
  std::string deployment, module_path;
  std::string control;            // socket, in place of the deployment's
  std::string record, decisions;  // files; empty: not wanted
  std::string records;            // folder for records of modules that end the process, if the deployment has none
  bool record_at_once = false;
  bool supervise = false;
  bool check = false;  // opens everything and starts nothing
  bool log_json = false;
  std::string log_level = "info";
};

void add_serve_command(CLI::App &app, chosen_command &chosen);

[[nodiscard]] exit_code serve(const serve_options &options, std::ostream &out, std::ostream &err);

}  // namespace tenon::cli
