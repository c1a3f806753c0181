// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which modules a deployment finds, which of them serve what, which are refused, and why.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tenon/host/deployment.hpp"
#include "tenon/host/module_manifest.hpp"

namespace tenon::cli {

enum class module_standing : uint8_t {
  used,       // something of the deployment needs it
  available,  // it would be used as soon as a configuration named what it provides
  unlisted,   // on the module path, but the deployment does not list it
  refused,    // cannot be used; `refused` says why
};
[[nodiscard]] std::string_view standing_word(module_standing standing);

struct surveyed_module {
  std::string id, version, description;  // empty where the manifest cannot be read
  std::filesystem::path manifest;
  std::vector<host::provided_interface> provides;
  std::vector<std::string> versions;  // that `tenon plugin install` put there, the one in use among them
  bool built_in = false;
  module_standing standing = module_standing::available;
  std::string why;  // one sentence
  std::optional<refusal> refused;
};

// One name that a configuration uses, and who answers to it.
struct served_name {
  std::string kind;       // "node-sort"
  std::string name;       // "binpacking"
  std::string wanted_by;  // "queues.yaml, partition default: nodesortpolicy"
  std::string module;     // id; empty: nobody
  uint32_t order_rev = 0;
  std::string why;  // one sentence
  std::optional<refusal> refused;
};

struct survey {
  host::deployment plan;
  std::vector<surveyed_module> modules;  // by id; those whose manifest is broken last
  std::vector<served_name> served;       // in the order of the configuration
};

struct survey_options {
  std::string deployment;           // file; empty: the built-in default
  std::string module_path;          // a folder that is searched besides; empty: none
  std::vector<std::string> queues;  // queues.yaml files beside those of policy_groups
  bool open = false;                // opens every module that may be used, each in a host of its own
  bool ignore_lock = false;
};

// The refusal of a deployment or queues.yaml that cannot be read; what is wrong with modules is in the survey.
[[nodiscard]] result<survey> make_survey(const survey_options &options);

}  // namespace tenon::cli
