// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon plugin describe`: what a module provides, which options it takes and what it asks for.
#pragma once

#include <iosfwd>
#include <string>

#include "run/exit_code.hpp"

namespace tenon::cli {

struct plugin_describe_options {
  std::string id;
  std::string deployment;   // file; empty: the built-in default
  std::string module_path;  // a folder that is searched besides; empty: none
  bool json = false;
};

// Reads the manifest alone and opens no library. `failed` where no module has the id.
[[nodiscard]] exit_code describe_plugin(const plugin_describe_options &options, std::ostream &out, std::ostream &err);

}  // namespace tenon::cli
