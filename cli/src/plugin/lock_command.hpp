// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon plugin lock` pins the modules of a deployment; `tenon plugin seal` writes a library's digest into its
// manifest.
#pragma once

#include <iosfwd>
#include <string>

#include "plugin/survey.hpp"
#include "run/exit_code.hpp"

namespace tenon::cli {

struct plugin_lock_options {
  survey_options look;
  bool check = false;  // write nothing, say whether the lock is up to date
};

// Opens what the deployment uses and writes its lock beside it: nothing is pinned that would be refused.
// `failed` where a module is refused, or with `check` where the lock differs.
[[nodiscard]] exit_code lock_plugins(plugin_lock_options options, std::ostream &out, std::ostream &err);

// Rewrites the line `digest:` of a manifest for the library beside it.
[[nodiscard]] exit_code seal_plugin(const std::string &manifest, std::ostream &out, std::ostream &err);

}  // namespace tenon::cli
