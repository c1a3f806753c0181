// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon snapshot`: the state at a moment of a journal as a file, which is a journal that begins with it.
#pragma once

#include <iosfwd>
#include <string>

#include "run/exit_code.hpp"
#include "whatif/journal_moment.hpp"

namespace tenon::cli {

struct snapshot_options {
  journal_moment moment;
  std::string deployment;  // file; empty: every module on the path
  std::string module_path;
  std::string output;
  bool replace = false;  // a file that is there
};

exit_code run_snapshot(const snapshot_options &options, std::ostream &out, std::ostream &err);

}  // namespace tenon::cli
