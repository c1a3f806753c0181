// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon plugin lint`: everything that is wrong with a manifest and its library, found without running any of it.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "run/exit_code.hpp"

namespace tenon::cli {

struct plugin_lint_options {
  std::vector<std::string> files;  // manifests, or libraries alone
  bool json = false;
};

// `failed` where a host would refuse one of them; `bad_input` where a file cannot be read.
[[nodiscard]] exit_code lint_plugins(const plugin_lint_options &options, std::ostream &out, std::ostream &err);

}  // namespace tenon::cli
