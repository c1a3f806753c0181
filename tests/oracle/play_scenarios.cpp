// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// oracle-scenarios: scenario files played on the oracle, as `tenon scenario run` plays them on the kernel.
#include <iostream>

#include "engine.hpp"
#include "scenario/run_command.hpp"

int main(int argc, char **argv) {
  tenon::cli::scenario_run_options options;
  options.paths.assign(argv + 1, argv + argc);
  if (options.paths.empty()) {
    std::cerr << "usage: oracle-scenarios FILE-OR-FOLDER..." << std::endl;
    return 2;
  }
  return static_cast<int>(tenon::cli::run_scenarios(options, std::cout, std::cerr, tenon::oracle_factory()));
}
