// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "run/complain.hpp"
#include "serve/daemon.hpp"
#include "serve/log.hpp"
#include "serve/serve_command.hpp"
#include "tenon/config/problems.hpp"

namespace tenon::cli {

exit_code serve(const serve_options &options, std::ostream &out, std::ostream &err) {
  const auto refuse = [&](const refusal &why) {
    complain(err, why);
    return exit_code::bad_input;
  };
  config::problems report(options.deployment);
  auto plan = host::read_deployment(options.deployment, report);
  if (!plan) {
    complain(err, report.refusals());
    return exit_code::bad_input;
  }
  daemon_process daemon(options, std::move(*plan), daemon_log(options.log_json, options.log_level));
  if (auto why = daemon.open()) return refuse(*why);
  if (options.check) {
    if (auto why = daemon.check()) return refuse(*why);
    out << options.deployment << ": can be served\n";
    return exit_code::ok;
  }
  auto ended = exit_code::ok;
  if (auto why = daemon.run(ended)) return refuse(*why);
  return ended;
}

}  // namespace tenon::cli
