// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/serve_command.hpp"

#include <CLI/CLI.hpp>
#include <memory>

namespace tenon::cli {

void add_serve_command(CLI::App &app, chosen_command &chosen) {
  CLI::App *command = app.add_subcommand("serve", "Schedule for resource managers, as a deployment says");
  auto o = std::make_shared<serve_options>();
  command->add_option("-c,--deployment", o->deployment, "The deployment, tenon.yaml")->required()->type_name("FILE");
  command->add_option("--control", o->control, "Unix socket for tenon ctl, in place of the deployment's")
      ->type_name("FILE");
  command->add_option("--record", o->record, "Write the journal, to a new file")->type_name("FILE");
  command->add_option("--decisions", o->decisions, "Write every decision, one a line, to a new file")
      ->type_name("FILE");
  command->add_flag("--record-at-once", o->record_at_once,
                    "Write both before anybody is told, not twice a second: nothing is missing after a kill");
  command->add_flag("--supervise", o->supervise,
                    "In a child process, and again where a module ended it; files to record to get .1, .2 and so on");
  command->add_flag("--check", o->check, "Open everything that the deployment names, start nothing");
  command->add_flag("--log-json", o->log_json, "Log JSON objects, one a line");
  command->add_option("--log-level", o->log_level, "What is logged: it and worse")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}))
      ->capture_default_str()
      ->type_name("WORD");
  command->add_option("--module-path", o->module_path, "Folder of modules that is searched besides")->type_name("DIR");
  command->footer(
      "Examples:\n"
      "  tenon serve -c tenon.yaml\n"
      "  tenon serve -c tenon.yaml --check\n"
      "  tenon serve -c tenon.yaml --record day.journal\n\n"
      "Signals: HUP reads the files of policy_groups again, all or none; TERM and INT stop it once answers\n"
      "have gone out, a second one at once.\n\n"
      "Exit codes: 0 stopped as asked, or --check found nothing wrong; 1 it ended by itself, or at once;\n"
      "2 refused, nothing was started; 4 a module called exit;\n"
      "5 a module crashed, or did not return: the log has a record.");
  command->callback([&chosen, o] {
    chosen = [o](std::istream &, std::ostream &out, std::ostream &err) {
      return static_cast<int>(serve(*o, out, err));
    };
  });
}

}  // namespace tenon::cli
