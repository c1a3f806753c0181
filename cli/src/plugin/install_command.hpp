// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon plugin install` and `tenon plugin rollback`: which version of a module hosts find.
#pragma once

#include <iosfwd>
#include <string>

#include "run/exit_code.hpp"

namespace tenon::cli {

// Where modules are installed: one of the two is given.
struct install_place {
  std::string module_path;  // folder of modules; it is made where it is missing
  std::string deployment;   // file; without module_path the folder is one of its own module_path
};

struct plugin_install_options {
  install_place to;
  std::string pack;  // file
  std::string key;   // file with the vendor's public key; empty: signatures are not checked
  bool unverified = false;
};

struct plugin_rollback_options {
  install_place in;
  std::string id, version;  // version empty: the one before the one in use
};

// Puts the module of a pack beside its other versions, and in use. `failed` where the pack is refused: nothing of it is
// there then, and the version in use stays in use.
[[nodiscard]] exit_code install_plugin(const plugin_install_options &options, std::ostream &out, std::ostream &err);

// Puts a version in use that is still there. `failed` where there is none, or where its files were changed.
[[nodiscard]] exit_code roll_back_plugin(const plugin_rollback_options &options, std::ostream &out, std::ostream &err);

}  // namespace tenon::cli
