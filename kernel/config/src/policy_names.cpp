// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "policy_names.hpp"

#include <algorithm>

#include "tenon/config/problems.hpp"

namespace tenon::config {

const std::vector<std::string> &built_in_queue_sorts() {
  static const std::vector<std::string> names{"fair", "priority"};
  return names;
}

const std::vector<std::string> &built_in_app_sorts() {
  static const std::vector<std::string> names{"fifo", "fair", "stateaware"};
  return names;
}

const std::vector<std::string> &built_in_node_sorts() {
  static const std::vector<std::string> names{"fair", "binpacking", "device-packing"};
  return names;
}

const std::vector<std::string> &built_in_rules() {
  static const std::vector<std::string> names{"provided", "user", "fixed", "tag"};
  return names;
}

const std::vector<std::string> &built_in_identities() {
  static const std::vector<std::string> names{"none", "os"};
  return names;
}

bool provides(const policy_names &known, const std::vector<std::string> &built_in, std::string_view name) {
  const auto &names = known ? *known : built_in;
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string suggest(const policy_names &known, const std::vector<std::string> &built_in, std::string_view name) {
  const auto &names = known ? *known : built_in;
  return suggestion(name, std::vector<std::string_view>(names.begin(), names.end()));
}

}  // namespace tenon::config
