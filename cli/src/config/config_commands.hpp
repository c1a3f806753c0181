// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon config check` and `tenon config schema`.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/config/queues.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon::host {
struct deployment;
class module_host;
}  // namespace tenon::host

namespace tenon::cli {

struct config_check_options {
  // queues.yaml files, deployments (apiVersion tenon/v1; their queues.yaml files are checked, too, and their modules
  // opened) and module manifests (apiVersion tenon.module/v1), told apart by what is in them. "-" is the standard
  // input.
  std::vector<std::string> files;
  config::known_policies known;  // what modules provide, where the caller has asked them
  // What else a daemon refuses that serves a deployment with its modules.
  std::function<std::optional<refusal>(const host::deployment &, std::unique_ptr<host::module_host>)> daemon;
  bool json = false;
  bool strict = false;  // a warning counts as a refusal
};

// Says of every file whether it would be accepted, and everything that is wrong with it. 0: all are; 2: at
// least one is refused or cannot be read. Verdicts go to `out`, reasons to `err`; with `json` all of it is one
// JSON document on `out`.
[[nodiscard]] int run_config_check(const config_check_options &options, std::istream &in, std::ostream &out,
                                   std::ostream &err);

// Prints the JSON Schema of a format: queues (also for an empty name), deployment or module. 2: no such format.
[[nodiscard]] int run_config_schema(std::string_view format, std::ostream &out, std::ostream &err);

}  // namespace tenon::cli
