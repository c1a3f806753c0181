// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon tune`: tries the configuration of a module on a load.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "run/engine.hpp"
#include "run/exit_code.hpp"
#include "simulate_command.hpp"

namespace tenon::cli {

struct tune_options {
  std::string journal;    // empty: a load that fills the nodes
  simulate_options load;  // that load; of a journal the options are for it that say how it is scheduled
  bool generate = false;  // it is a generated one
  std::string recorded;   // the deployment that the journal was recorded with; empty: that of the load
  std::string module, space;
  std::vector<std::string> measures;  // empty: the usual ones
  bool halving = false;
  size_t jobs = 0;  // runs at once; 0: as many as there are processors
  bool json = false;
  bool progress = true;
};

exit_code run_tune(const tune_options &options, std::ostream &out, std::ostream &err,
                   const engine_factory &make_engine = kernel_factory());

}  // namespace tenon::cli
