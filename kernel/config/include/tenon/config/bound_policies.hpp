// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which policies a configuration binds.
#pragma once

#include <string>
#include <vector>

#include "tenon/kernel/module_kinds.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::config {

struct policy_name {
  module_kind kind;
  std::string name;
  std::string wanted_by;  // the first place of the configuration that leads to the policy
};

// Returns each policy that the kernel, and the service around it, bind when a resource manager registers with this
// configuration: those that the configuration names, and those that are bound where nothing is named. An application
// can choose one more order of nodes with its tag.
[[nodiscard]] std::vector<policy_name> bound_policies(const cluster_config &queues);

}  // namespace tenon::config
