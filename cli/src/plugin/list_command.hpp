// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon plugin list` and `tenon plugin explain`: which modules there are, and which serves what and why.
#pragma once

#include <iosfwd>

#include "plugin/survey.hpp"
#include "run/exit_code.hpp"

namespace tenon::cli {

struct plugin_list_options {
  survey_options look;
  bool json = false;
};

// A line for each module that is found. Opens none. Good also where modules are refused: the list says so.
[[nodiscard]] exit_code list_plugins(const plugin_list_options &options, std::ostream &out, std::ostream &err);

// Opens every module that may be used. `failed` where something that the deployment needs is refused.
[[nodiscard]] exit_code explain_plugins(plugin_list_options options, std::ostream &out, std::ostream &err);

}  // namespace tenon::cli
