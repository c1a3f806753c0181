// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Placement rules of a partition, ready to be asked.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tenon/kernel/placement_filter.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::internal {

struct placement_rule {
  std::string name, value;
  bool create = false;
  placement_filter filter;
  std::unique_ptr<placement_rule> parent;
};

// Why the rule cannot be built, or "".
[[nodiscard]] std::string build_rule(const placement_rule_config &config, std::unique_ptr<placement_rule> &out);

}  // namespace tenon::internal
