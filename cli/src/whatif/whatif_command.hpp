// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon whatif`: what would become of asks, at a moment of a journal or in a saved state.
#pragma once

#include <iosfwd>
#include <string>

#include "run/exit_code.hpp"
#include "whatif/journal_moment.hpp"
#include "whatif/question_options.hpp"

namespace tenon::cli {

struct whatif_options {
  journal_moment moment;
  std::string deployment;  // file; empty: every module on the path
  std::string module_path;
  question_options question;
  bool json = false;
};

exit_code run_whatif(const whatif_options &options, std::istream &in, std::ostream &out, std::ostream &err);

}  // namespace tenon::cli
