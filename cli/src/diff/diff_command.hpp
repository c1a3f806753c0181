// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon diff`: the load of a journal under two deployments, and what becomes of it.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "run/engine.hpp"
#include "run/exit_code.hpp"

namespace tenon::cli {

struct diff_side_options {
  std::string deployment;  // file; empty: every module on the path
  std::string config;      // queues.yaml; empty: as recorded
  std::string node_sort;   // in place of the configuration's; empty: as configured
  std::string decisions;   // a file that gets every decision; empty: none
};

struct diff_options {
  std::string journal;
  diff_side_options a, b;
  std::string recorded;     // the deployment that the journal was recorded with; empty: that of a
  std::string module_path;  // of all of them
  size_t windows = 4;
  size_t first = 10;     // differences that are shown
  uint64_t realign = 0;  // after so many decisions of side a each, what side b would decide there; 0: never
  std::string report;
  std::vector<std::string> fail_if;
  bool json = false;
};

exit_code run_diff(const diff_options &options, std::ostream &out, std::ostream &err,
                   const engine_factory &make_engine = kernel_factory());

}  // namespace tenon::cli
