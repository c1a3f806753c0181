// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon scenario run`.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "run/engine.hpp"
#include "run/exit_code.hpp"

namespace tenon::cli {

struct scenario_run_options {
  std::vector<std::string> paths;  // files, and folders that are searched for *.yaml
  std::string filter;              // regular expression that a name must have somewhere; empty: all
  bool json = false;
  std::string junit;        // file; empty: none
  std::string record;       // file, or a folder that exists; empty: none
  std::string decisions;    // file; empty: none
  std::string deployment;   // file; empty: each scenario's own
  std::string module_path;  // folder; empty: the installed one
};

// Reads all files, then plays each scenario in a fresh scheduler. A file that is refused is told and passed over; the
// code is bad_input then, whatever comes of the others.
exit_code run_scenarios(const scenario_run_options &options, std::ostream &out, std::ostream &err,
                        const engine_factory &make_engine = kernel_factory());

}  // namespace tenon::cli
