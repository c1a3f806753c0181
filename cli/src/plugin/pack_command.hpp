// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon plugin pack`: one file with all that a customer needs of a module.
#pragma once

#include <iosfwd>
#include <string>

#include "plugin/pack_file.hpp"
#include "run/exit_code.hpp"

namespace tenon::cli {

struct plugin_pack_options {
  pack_sources from;
  std::string output;  // file; empty: ID-VERSION.tar here
};

// `failed` where an installation would refuse the pack: nothing is written then.
[[nodiscard]] exit_code pack_plugin(const plugin_pack_options &options, std::ostream &out, std::ostream &err);

}  // namespace tenon::cli
