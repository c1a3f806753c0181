// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon plugin new`: a project of one policy that builds, passes conformance and has a test of what it does.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "run/exit_code.hpp"
#include "tenon/kernel/module_kinds.hpp"

namespace tenon::cli {

struct plugin_new_options {
  std::string id;  // "acme.binpack", or "acme-binpack", which is the same
  std::string kind;
  std::string language = "c++";
  std::string directory;            // where the project's folder is made; empty: here
  std::filesystem::path templates;  // empty: ../share/tenon/templates as seen from the executable
};

// Returns how a configuration uses what a module of the kind provides, as "names it as `nodesortpolicy.type` of a
// partition".
[[nodiscard]] std::string_view use_of(module_kind kind);

// Writes the folder NAME (the id with '-' for '.'), which must not be there yet.
[[nodiscard]] exit_code new_plugin(const plugin_new_options &options, std::ostream &out, std::ostream &err);

}  // namespace tenon::cli
